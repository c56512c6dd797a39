//! The settings file: lines of `key = value`.

/// The keys and values of the file, in order.
#[derive(Debug, Default)]
pub(super) struct SettingsFile(Vec<(String, String)>);

impl SettingsFile {
    pub(super) fn read(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.trim().starts_with('#'));
        let pairs = lines.filter_map(|line| line.split_once('='));
        let owned = |text: &str| text.trim().to_owned();
        SettingsFile(
            pairs
                .map(|(key, value)| (owned(key), owned(value)))
                .collect(),
        )
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let mut pairs = self.0.iter().rev();
        pairs
            .find(|(known, _)| known == key)
            .map(|(_, value)| value.as_str())
    }

    pub(super) fn of_provider(&self, name: &str, key: &str) -> Option<&str> {
        self.get(&format!("provider.{name}.{key}"))
    }

    pub(super) fn providers(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for (key, _) in &self.0 {
            if let ["provider", name, "url" | "key" | "api_key" | "models"] =
                *key.split('.').collect::<Vec<_>>()
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_keys_are_read_and_others_ignored() {
        let text = "# mine\nmodel = local/a\n\nprovider.local.url=http://h/v1\nprovider.local.models = a, b,\ntheme = dark\nprovider.x.y = z\n";
        let settings = SettingsFile::read(text);

        assert_eq!(settings.get("model"), Some("local/a"));
        assert_eq!(settings.providers(), ["local"]);
        assert_eq!(settings.of_provider("local", "url"), Some("http://h/v1"));
        assert_eq!(settings.of_provider("local", "models"), Some("a, b,"));
        assert_eq!(settings.of_provider("local", "key"), None);
    }
}
