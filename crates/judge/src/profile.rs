//! Strictness profiles: how the requirement levels of rules become severities.

use crate::finding::{Level, Source};

/// How strict a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// What the specification only recommends is a violation, and every note is a warning
    Strict,
    /// Every rule at its own strength
    #[default]
    Spec,
    /// Recommendations are notes; what only hosts or good sense ask for is a warning at most
    Lenient,
}

impl Profile {
    /// The severity of a finding whose rule has this level and this source.
    pub fn apply(self, level: Level, source: Source) -> Level {
        match (self, level) {
            (Profile::Strict, Level::Should) => Level::Must,
            (Profile::Strict, Level::May) | (Profile::Lenient, Level::Must)
                if self == Profile::Strict || source != Source::Spec =>
            {
                Level::Should
            }
            (Profile::Lenient, Level::Should) => Level::May,
            _ => level,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Level::{May, Must, Should};

    #[test]
    fn each_profile_shifts_levels_as_documented() {
        for (profile, level, source, taken) in [
            (Profile::Strict, Should, Source::Spec, Must),
            (Profile::Strict, May, Source::Host, Should),
            (Profile::Spec, Should, Source::Spec, Should),
            (Profile::Lenient, Should, Source::Spec, May),
            (Profile::Lenient, Must, Source::Spec, Must),
            (Profile::Lenient, Must, Source::Hygiene, Should),
        ] {
            assert_eq!(
                profile.apply(level, source),
                taken,
                "{profile:?} {level:?} {source:?}"
            );
        }
    }
}
