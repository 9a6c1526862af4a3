//! One line of a sweep that is advised, and all of them as text to paste.

use serde::{Serialize, Serializer};

/// A value to set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdvisedSetting {
    /// The tables and the key: `["resources", "vram"]`.
    pub path: Vec<String>,
    /// Value that the key gets.
    pub value: SettingValue,
    /// Reason for the value, in one line.
    pub because: String,
}

/// Value of a key, by its form in TOML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingValue {
    /// A number without a unit.
    Number(u32),
    /// A text, such as a size.
    Text(String),
    /// A list with this one value, as it is written in the sweep.
    Only(String),
}

impl AdvisedSetting {
    /// Creates a setting of `[table] key`.
    pub fn new(path: &[&str], value: SettingValue, because: impl Into<String>) -> Self {
        Self { path: path.iter().map(|part| (*part).to_owned()).collect(), value, because: because.into() }
    }

    /// The key without its tables.
    pub fn key(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// The tables that the key is in.
    pub fn tables(&self) -> &[String] {
        self.path.split_last().map_or(&[], |(_, tables)| tables)
    }
}

impl SettingValue {
    /// Returns the value as TOML.
    pub fn to_toml(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => toml::Value::String(text.clone()).to_string(),
            Self::Only(value) => format!("[{value}]"),
        }
    }
}

impl Serialize for SettingValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_u32(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Only(_) => serializer.serialize_str(&self.to_toml()),
        }
    }
}

/// The settings as tables of a sweep, each with its reason.
pub fn render_settings(settings: &[AdvisedSetting]) -> String {
    let mut text = String::new();
    let mut table: Option<&[String]> = None;
    let width = settings.iter().map(|setting| format_setting(setting).chars().count()).max().unwrap_or(0);
    for setting in settings {
        if table != Some(setting.tables()) {
            table = Some(setting.tables());
            text.push_str(&format!("[{}]\n", setting.tables().join(".")));
        }
        text.push_str(&format!("{:width$}  # {}\n", format_setting(setting), setting.because));
    }
    text
}

fn format_setting(setting: &AdvisedSetting) -> String {
    format!("{} = {}", setting.key(), setting.value.to_toml())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_pasted_as_tables_with_their_reasons() {
        let settings = [
            AdvisedSetting::new(&["schedule", "parallel"], SettingValue::Number(6), "6 fit"),
            AdvisedSetting::new(&["resources", "vram"], SettingValue::Text("2.4 GiB".to_owned()), "measured"),
            AdvisedSetting::new(&["resources", "cpus"], SettingValue::Number(2), "busy"),
            AdvisedSetting::new(&["shard", "env", "MUJOCO_GL"], SettingValue::Text("egl".to_owned()), "room"),
        ];
        assert_eq!(
            render_settings(&settings),
            "[schedule]\nparallel = 6       # 6 fit\n[resources]\nvram = \"2.4 GiB\"   # measured\n\
             cpus = 2           # busy\n[shard.env]\nMUJOCO_GL = \"egl\"  # room\n"
        );
    }
}
