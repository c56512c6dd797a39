//! The settings file: lines of `key = value`.

/// What the user has settled.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// The model to begin with, as `PROVIDER/MODEL`.
    pub(super) model: Option<String>,
    pub(super) retries: Option<u32>,
    pub(super) providers: Vec<Provider>,
}

/// A place where models are served.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Provider {
    pub(super) name: String,
    pub(super) url: Option<String>,
    pub(super) key: Option<String>,
    pub(super) models: Vec<String>,
}

impl Settings {
    /// Reads the file's text. Keys that mean nothing here are passed over.
    ///
    /// # Errors
    /// A value that cannot be.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut settings = Settings::default();
        for line in text.lines().map(str::trim) {
            let pair = line.split_once('=').filter(|_| !line.starts_with('#'));
            if let Some((key, value)) = pair {
                settings.set(key.trim(), value.trim())?;
            }
        }
        Ok(settings)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key.split('.').collect::<Vec<_>>().as_slice() {
            ["model"] => self.model = Some(value.to_owned()),
            ["api_retries"] => {
                let count = value.parse();
                self.retries =
                    Some(count.map_err(|_| format!("api_retries: {value:?} is not a number"))?);
            }
            ["provider", name, "url"] => self.provider(name).url = Some(value.to_owned()),
            ["provider", name, "key" | "api_key"] => {
                self.provider(name).key = Some(value.to_owned());
            }
            ["provider", name, "models"] => {
                let models = value.split(',').map(|model| model.trim().to_owned());
                self.provider(name).models = models.filter(|model| !model.is_empty()).collect();
            }
            _ => {}
        }
        Ok(())
    }

    fn provider(&mut self, name: &str) -> &mut Provider {
        let known = self.providers.iter().position(|one| one.name == name);
        let at = known.unwrap_or_else(|| {
            self.providers.push(Provider {
                name: name.to_owned(),
                ..Provider::default()
            });
            self.providers.len() - 1
        });
        &mut self.providers[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_is_taken() {
        let text = "# mine\nmodel = local/a\n\nprovider.local.url=http://h/v1\nprovider.local.models = a, b,\ntheme = dark\napi_retries = 2\n";

        let local = Provider {
            name: "local".into(),
            url: Some("http://h/v1".into()),
            key: None,
            models: vec!["a".into(), "b".into()],
        };
        assert_eq!(
            Settings::read(text),
            Ok(Settings {
                model: Some("local/a".into()),
                retries: Some(2),
                providers: vec![local]
            })
        );
    }

    #[test]
    fn a_number_must_be_one() {
        assert_eq!(
            Settings::read("api_retries = many").unwrap_err(),
            "api_retries: \"many\" is not a number"
        );
    }
}
