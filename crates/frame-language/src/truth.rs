//! Three-valued logic: true, false, unknown. A rule may depend on state that the agent may or may not hold yet.

/// A truth value of three-valued logic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// False for every possible state.
    False,
    /// True for some possible states and false for others; or a value is missing.
    Unknown,
    /// True for every possible state.
    True,
}

impl Truth {
    /// The negation.
    #[inline]
    pub fn negate(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }

    /// The conjunction: true if all are true, false if one is false.
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

    /// The conjunction of two.
    #[inline]
    pub fn and(self, other: Truth) -> Truth {
        Truth::all([self, other].into_iter())
    }

    /// The disjunction: true if one is true, false if all are false.
    pub fn any(each: impl Iterator<Item = Truth>) -> Truth {
        Truth::all(each.map(Truth::negate)).negate()
    }

    /// The common value over several possible states; unknown if they differ, or if there is none.
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
    #[inline]
    fn from(value: bool) -> Self {
        if value { Truth::True } else { Truth::False }
    }
}
