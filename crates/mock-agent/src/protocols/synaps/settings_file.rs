//! The settings file: lines of `key = value`.

/// The settings of the user.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SettingsFile {
    /// The model to start with, as `PROVIDER/MODEL`.
    pub(super) model: Option<String>,
    pub(super) retries: Option<u32>,
    pub(super) providers: Vec<ProviderSettings>,
}

/// The endpoint of a provider, and its models.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct ProviderSettings {
    pub(super) name: String,
    pub(super) url: Option<String>,
    pub(super) key: Option<String>,
    pub(super) models: Vec<String>,
}

impl SettingsFile {
    /// Parses the file. Ignores unknown keys.
    ///
    /// # Errors
    /// A value is not valid.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut settings = SettingsFile::default();
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

    fn provider(&mut self, name: &str) -> &mut ProviderSettings {
        let known = self.providers.iter().position(|one| one.name == name);
        let at = known.unwrap_or_else(|| {
            self.providers.push(ProviderSettings {
                name: name.to_owned(),
                ..ProviderSettings::default()
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
    fn known_keys_are_read_and_others_ignored() {
        let text = "# mine\nmodel = local/a\n\nprovider.local.url=http://h/v1\nprovider.local.models = a, b,\ntheme = dark\napi_retries = 2\n";

        let local = ProviderSettings {
            name: "local".into(),
            url: Some("http://h/v1".into()),
            key: None,
            models: vec!["a".into(), "b".into()],
        };
        assert_eq!(
            SettingsFile::read(text),
            Ok(SettingsFile {
                model: Some("local/a".into()),
                retries: Some(2),
                providers: vec![local]
            })
        );
    }

    #[test]
    fn an_invalid_number_is_an_error() {
        assert_eq!(
            SettingsFile::read("api_retries = many").unwrap_err(),
            "api_retries: \"many\" is not a number"
        );
    }
}
