//! What a step waits for, in words for its finding.

use super::player::ScenarioPlayer;
use conform_judge::finding::Expected;
use json_matcher::Matcher;
use serde_json::Value;

/// What a step waits for.
#[derive(Debug, Default)]
pub(super) struct Awaited {
    /// The subject of a sentence: `` `stream_end` ``.
    pub(super) subject: String,
    /// The names of the events, as far as the matchers give them.
    pub(super) names: Vec<String>,
    /// The expectation for each.
    pub(super) expected: Vec<Expected>,
    /// The command that they answer, by its id.
    pub(super) command: Option<String>,
    /// Where an event that fits came too early, in words.
    pub(super) earlier: Option<String>,
}

impl Awaited {
    /// Something that is not an event.
    pub(super) fn thing(subject: impl Into<String>, expected: String) -> Self {
        Awaited {
            subject: subject.into(),
            expected: vec![Expected::Words(expected)],
            ..Awaited::default()
        }
    }
}

impl ScenarioPlayer {
    /// The event that a matcher expects.
    pub(super) fn awaited(&self, matcher: &Matcher) -> Awaited {
        self.all_awaited([matcher])
    }

    /// The events that several matchers expect.
    pub(super) fn all_awaited<'m>(
        &self,
        matchers: impl IntoIterator<Item = &'m Matcher>,
    ) -> Awaited {
        let mut awaited = Awaited::default();
        let mut subjects: Vec<String> = Vec::new();
        for matcher in matchers {
            let name = self.event_name(matcher);
            let subject = match &name {
                Some(name) => format!("`{name}`"),
                None => "an event that fits".to_owned(),
            };
            if !subjects.contains(&subject) {
                subjects.push(subject);
            }
            awaited.names.extend(name);
            let fits = |event: &Value| matcher.matches(event, &self.captures).is_ok();
            let (log, shown) = (&self.session.events, self.shown(matcher));
            awaited.earlier = awaited.earlier.or_else(|| log.earlier(fits));
            let command = log.command_of(&shown, &self.suite.dialect.events.discriminator);
            awaited.command = awaited.command.or(command);
            awaited.expected.push(self.expected(matcher));
        }
        awaited.subject = subjects.join(" and ");
        awaited
    }

    /// What a matcher expects, as data if it names the members of an event.
    fn expected(&self, matcher: &Matcher) -> Expected {
        let members = matcher.members_in_words(&self.captures);
        if members.is_empty() {
            Expected::Words(matcher.in_words(&self.captures))
        } else {
            Expected::Event(members)
        }
    }

    /// The name of the event that a matcher expects; `None` if it expects no single name.
    pub(super) fn event_name(&self, matcher: &Matcher) -> Option<String> {
        let expected = matcher.shown(&self.captures);
        self.suite.dialect.events.identify(&expected).into_name()
    }
}
