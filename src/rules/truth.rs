//! Three-valued truth: what a rule can know of a state that the agent may or may not hold yet.

/// True, false, or not to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// False in every world that fits the history.
    False,
    /// True in some worlds that fit, false in others; or a value is missing.
    Unknown,
    /// True in every world.
    True,
}

impl Truth {
    /// The negation.
    #[must_use]
    pub fn negate(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }

    /// True if all are; false if one is.
    pub fn all(each: impl Iterator<Item = Truth>) -> Truth {
        let mut result = Truth::True;
        for truth in each {
            match truth {
                Truth::False => return Truth::False,
                Truth::Unknown => result = Truth::Unknown,
                Truth::True => {}
            }
        }
        result
    }

    /// True if one is; false if all are.
    pub fn any(each: impl Iterator<Item = Truth>) -> Truth {
        Truth::all(each.map(Truth::negate)).negate()
    }

    /// What several possible worlds come to together; unknown if there is none.
    pub fn over_possibilities(each: impl Iterator<Item = Truth>) -> Truth {
        let mut result = None;
        for truth in each {
            match result {
                None => result = Some(truth),
                Some(r) if r == truth => {}
                Some(_) => return Truth::Unknown,
            }
        }
        result.unwrap_or(Truth::Unknown)
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Truth::True } else { Truth::False }
    }
}
