//! Three-valued truth: what a rule can know of a state that the agent may or may not hold yet.

/// True, false, or not to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tri {
    /// False in every world that fits the history.
    False,
    /// True in some worlds that fit, false in others; or a value is missing.
    Unknown,
    /// True in every world.
    True,
}

impl Tri {
    /// The negation.
    #[must_use]
    pub fn negate(self) -> Tri {
        match self {
            Tri::False => Tri::True,
            Tri::Unknown => Tri::Unknown,
            Tri::True => Tri::False,
        }
    }

    /// True if all are; false if one is.
    pub fn all(each: impl Iterator<Item = Tri>) -> Tri {
        let mut result = Tri::True;
        for tri in each {
            match tri {
                Tri::False => return Tri::False,
                Tri::Unknown => result = Tri::Unknown,
                Tri::True => {}
            }
        }
        result
    }

    /// True if one is; false if all are.
    pub fn any(each: impl Iterator<Item = Tri>) -> Tri {
        Tri::all(each.map(Tri::negate)).negate()
    }

    /// What several possible worlds come to together; unknown if there is none.
    pub fn over_worlds(each: impl Iterator<Item = Tri>) -> Tri {
        let mut result = None;
        for tri in each {
            match result {
                None => result = Some(tri),
                Some(r) if r == tri => {}
                Some(_) => return Tri::Unknown,
            }
        }
        result.unwrap_or(Tri::Unknown)
    }
}

impl From<bool> for Tri {
    fn from(value: bool) -> Self {
        if value { Tri::True } else { Tri::False }
    }
}
