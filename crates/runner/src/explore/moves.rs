//! The moves of a dialect: its `explore.yaml` merged over those of its bases, with the common pools, and checked.

use super::file::{Datum, ExploreFile, ImpossibleFile, MomentFile, MoveFile, SignFile, Words};
use super::fill::{NUMBER, TYPED_NUMBER};
use crate::scenario::{entries, inherit, words};
use conform_judge::dialect::{Dialect, DialectSource, Inheritance};
use indexmap::{IndexMap, IndexSet};
use json_matcher::{Captures, Matcher, compile_filled_node};
use serde_json::Value;
use spanned_yaml::{Error, Node, Span, Spanned, decode_all, load_yaml, unknown};

/// The file with the moves in the folder of a dialect.
const FILE: &str = "explore.yaml";
/// The word for all moments that are not final.
const ANY: &str = "any";

/// The moves of a dialect, and the data that they carry.
#[derive(Debug, Clone, Default)]
pub struct MoveTable {
    /// The moments; the first is where a session begins.
    pub moments: IndexMap<String, MomentFile>,
    /// How a session can begin.
    pub starts: IndexMap<String, Move>,
    /// The moves, by name.
    pub moves: IndexMap<String, Move>,
    /// The data, by pool, the simplest first.
    pub pools: IndexMap<String, Vec<Datum>>,
    /// The classes of data that have signs.
    pub classes: IndexMap<String, Matcher>,
    /// The steps that show a moment, in the order of the moments.
    pub(super) signs: Vec<(String, Sign)>,
    /// The steps that show the outcome of a command.
    pub(super) outcomes: Vec<(String, Sign)>,
    /// Impossible situations.
    pub(super) impossible: Vec<ImpossibleFile>,
    /// Classes of data that do not come at some places.
    pub left_out: Vec<LeftOut>,
    /// How scenarios are spliced; `None` if they are not.
    pub(super) splicing: Option<Splicing>,
    /// The moves at the end of a spliced session.
    pub(super) epilogue: IndexMap<String, Move>,
    /// Whether its sessions are spliced: only rules judge, and each move is a part.
    pub(super) is_spliced: bool,
    /// How sessions read that start on a wire on which events write the ids of calls in another form. `None`: the wire of the agent.
    pub(super) call_ids: IndexMap<Option<String>, Inheritance>,
}

/// Classes of data that do not come at some places, and why.
#[derive(Debug, Clone)]
pub struct LeftOut {
    at: Matcher,
    /// The classes; all if there are none.
    classes: Vec<String>,
    /// The reason.
    pub why: String,
}

/// What decides which scenarios can be spliced, and how.
#[derive(Debug, Clone, Default)]
pub(super) struct Splicing {
    /// The members of commands with an id that comes once in a session.
    pub(super) ids: Vec<String>,
    /// The steps after which no scenario can follow.
    pub(super) closes: Vec<Matcher>,
    /// The steps after which one can again.
    pub(super) reopens: Vec<Matcher>,
}

/// A step that shows a moment or an outcome.
#[derive(Debug, Clone)]
pub(super) struct Sign {
    pub(super) step: Matcher,
    /// The moments at which it does; at all if empty.
    pub(super) from: Vec<String>,
    /// The commands after which it does; if empty, after any command or none.
    pub(super) of: Vec<String>,
}

/// A move, or a start, in a merged table.
#[derive(Debug, Clone)]
pub struct Move {
    /// As it is written.
    pub file: MoveFile,
    /// The moments at which it can be made.
    pub from: IndexSet<String>,
    /// The pools that each of its data is taken from.
    pub draws: IndexMap<String, Vec<String>>,
    /// The variables that it depends on, with the values that allow it.
    pub(super) conditions: Vec<(String, Vec<Value>)>,
    /// Whether its texts have its number in the session.
    pub(super) is_numbered: bool,
    /// Its place, for messages.
    place: Place,
}

/// Where something is written.
#[derive(Debug, Clone)]
struct Place {
    root: Node,
    span: Span,
}

impl Move {
    /// The moment after it, if it was made at this one.
    #[must_use]
    pub fn leads_to<'m>(&'m self, moment: &'m str) -> &'m str {
        self.file.to.as_ref().map_or(moment, |to| to.value.as_str())
    }

    /// Whether it is written in another folder than that of the dialect.
    pub(super) fn is_inherited_by(&self, dialect: &Dialect) -> bool {
        let own = dialect.id().replace('@', "/");
        let folder = self.place.root.source().path.parent();
        !folder.is_some_and(|folder| folder.ends_with(own))
    }

    /// A mistake in it.
    #[must_use]
    pub fn error(&self, message: impl Into<String>) -> Error {
        self.place.root.error_at(self.place.span, message)
    }
}

impl LeftOut {
    /// Whether a class does not come at a place.
    #[must_use]
    pub fn names(&self, place: &str, class: &String) -> bool {
        let at = self.at.matches(&place.into(), &Captures::default());
        at.is_ok() && (self.classes.is_empty() || self.classes.contains(class))
    }
}

impl MoveTable {
    /// The moves of a dialect, in the names that its agent has for tools and the form that its wire has for the ids of calls, if those are
    /// `renamed`; `None` if it has no `explore.yaml`, nor a base that has one.
    ///
    /// # Errors
    /// Every mistake in how the files are written, with its place.
    pub fn load(
        source: &DialectSource,
        dialect: &Dialect,
        renamed: Option<&Inheritance>,
    ) -> Result<Option<Self>, Vec<Error>> {
        let mut files = Vec::new();
        // An id of a call in a move has a number that only a session gives it.
        let tools = renamed.map(|names| Inheritance {
            call_ids: None,
            ..names.clone()
        });
        let own = dialect.id();
        let mut ids: Vec<&str> = vec![&own];
        ids.extend(dialect.bases.iter().map(|base| base.id.as_str()));
        for (newer, id) in ids.into_iter().enumerate() {
            let (name, version) = id.split_once('@').unwrap_or((id, ""));
            let file = source.read(name, version, FILE).map_err(|e| vec![e])?;
            if let Some((path, text)) = file {
                let file = load_yaml(path, &text).map_err(|error| vec![error])?;
                let newer = dialect.bases[..newer].iter().rev();
                let renamed = newer.map(|base| &base.inheritance).chain(&tools);
                files.push(renamed.fold(file, |file, names| in_names_of(&file, names)));
            }
        }
        files.reverse();
        if files.is_empty() {
            return Ok(None);
        }
        let mut table = MoveTable::merge(&files)?;
        let wires = dialect.launch.wires.iter();
        let wires = wires.map(|(wire, recipe)| (Some(wire.clone()), recipe.call_ids.clone()));
        let agent = renamed.map(|names| (None, names.call_ids.clone()));
        let forms = wires.chain(agent).filter(|(_, form)| form.is_some());
        table.call_ids = forms
            .map(|(wire, call_ids)| {
                let mut names = Inheritance::default();
                names.members.clone_from(&dialect.members);
                (wire, Inheritance { call_ids, ..names })
            })
            .collect();
        table.leave_out_unfit(dialect);
        Ok(Some(table))
    }

    /// Leaves out the inherited moves that a version cannot make, because it has other commands or members.
    fn leave_out_unfit(&mut self, dialect: &Dialect) {
        let is_inherited = |one: &Move| one.is_inherited_by(dialect);
        if !self.moves.values().any(is_inherited) {
            return;
        }
        let sessions = self.shortest_sessions();
        let is_good = |name: &str| {
            let session = sessions.get(name);
            session.is_none_or(|one| self.scenario(one, "session", dialect).is_ok())
        };
        let all = self.moves.iter();
        let unfit = all.filter(|(name, one)| is_inherited(one) && !is_good(name));
        let unfit: Vec<String> = unfit.map(|(name, _)| name.clone()).collect();
        self.moves.retain(|name, _| !unfit.contains(name));
    }

    /// The table of these files, each of which extends those before it.
    ///
    /// # Errors
    /// Every mistake in them.
    pub(super) fn merge(files: &[Node]) -> Result<Self, Vec<Error>> {
        let mut table = MoveTable {
            pools: common_pools()?,
            ..MoveTable::default()
        };
        for root in files {
            let file: ExploreFile = decode_all(root)?;
            let mut errors = Vec::new();
            for name in &file.remove {
                let gone = table.moves.shift_remove(&name.value);
                if gone.or(table.starts.shift_remove(&name.value)).is_none() {
                    let known = table.moves.keys().chain(table.starts.keys());
                    let known = known.map(String::as_str);
                    errors.push(root.error_at(name.span, unknown("move", name, known)));
                }
            }
            let signs = file.moments.iter().map(|(name, one)| (name, &one.signs));
            let mut compile = |name: &Spanned<String>, signs: &[SignFile], into: &mut Vec<_>| {
                into.retain(|(other, _)| *other != name.value);
                for sign in signs {
                    let words =
                        |words: &Option<Words>| words.as_ref().map_or(&[][..], Words::all).to_vec();
                    let (from, of) = (words(&sign.from), words(&sign.of));
                    match compile_filled_node(&sign.step) {
                        Ok(step) => into.push((name.value.clone(), Sign { step, from, of })),
                        Err(found) => errors.extend(found),
                    }
                }
            };
            signs.for_each(|(name, signs)| compile(name, signs, &mut table.signs));
            let outcomes = file.outcomes.iter();
            outcomes.for_each(|(name, signs)| compile(name, signs, &mut table.outcomes));
            table.impossible.extend(file.impossible);
            let moments = file.moments.into_iter();
            table
                .moments
                .extend(moments.map(|(name, moment)| (name.value, moment)));
            for same in table
                .moments
                .values()
                .filter_map(|one| one.same_as.as_ref())
            {
                if !table.moments.contains_key(same.as_str()) {
                    let known = table.moments.keys().map(String::as_str);
                    errors.push(root.error_at(same.span, unknown("moment", same, known)));
                }
            }
            for (name, data) in file.pools {
                if data.is_empty() {
                    errors.push(root.error_at(name.span, "a pool has at least one datum"));
                }
                table.pools.entry(name.value).or_default().extend(data);
            }
            for one in file.left_out {
                let classes = one.class.as_ref();
                let classes = classes.map_or(&[][..], |words| words.all());
                let known = table.pools.values().flatten();
                let known = known.filter(|datum| datum.sign.is_some());
                let known: Vec<&str> = known.map(|datum| datum.class.as_str()).collect();
                let span = one.class.as_ref().map(|words| words.span);
                for class in classes.iter().filter(|one| !known.contains(&one.as_str())) {
                    let message =
                        unknown("class of data with a sign", class, known.iter().copied());
                    errors.extend(span.map(|span| root.error_at(span, message)));
                }
                match compile_filled_node(&one.at) {
                    Ok(at) => table.left_out.push(LeftOut {
                        at,
                        classes: classes.to_vec(),
                        why: one.why,
                    }),
                    Err(found) => errors.extend(found),
                }
            }
            for (name, one) in file.starts {
                let written = table.read(root, &name, one, false, &mut errors);
                table.starts.insert(name.value, written);
            }
            for (name, one) in file.moves {
                let written = table.read(root, &name, one, true, &mut errors);
                table.moves.insert(name.value, written);
            }
            if let Some(spliced) = file.spliced {
                let mut compile = |steps: &[Node]| -> Vec<Matcher> {
                    let steps = steps.iter().map(compile_filled_node);
                    let good =
                        steps.filter_map(|one| one.map_err(|wrong| errors.extend(wrong)).ok());
                    good.collect()
                };
                let (closes, reopens) = (compile(&spliced.closes), compile(&spliced.reopens));
                let ids = spliced.ids;
                table.splicing = Some(Splicing {
                    ids,
                    closes,
                    reopens,
                });
                for (name, one) in spliced.epilogue {
                    let mut written = table.read(root, &name, one, false, &mut errors);
                    written.from.insert("rest".to_owned());
                    table.epilogue.insert(name.value, written);
                }
            }
            if !errors.is_empty() {
                return Err(errors);
            }
        }
        for datum in table.pools.values().flatten() {
            if let Some(sign) = &datum.sign {
                let sign = compile_filled_node(sign)?;
                table.classes.insert(datum.class.clone(), sign);
            }
        }
        table.check_whole(files)?;
        Ok(table)
    }

    /// A move or a start of a file; what is wrong with it is added to the errors.
    fn read(
        &self,
        root: &Node,
        name: &Spanned<String>,
        file: MoveFile,
        is_move: bool,
        errors: &mut Vec<Error>,
    ) -> Move {
        let span = name.span;
        let mut wrong = |span, message: String| errors.push(root.error_at(span, message));
        let moments = || self.moments.keys().map(String::as_str);
        let mut from = IndexSet::new();
        match (&file.from, is_move) {
            (Some(words), true) => {
                for word in words.all() {
                    if word == ANY {
                        let all = self.moments.iter().filter(|(_, moment)| !moment.is_final);
                        from.extend(all.map(|(name, _)| name.clone()));
                    } else if self.moments.contains_key(word) {
                        from.insert(word.clone());
                    } else {
                        wrong(words.span, unknown("moment", word, moments()));
                    }
                }
            }
            (None, true) => wrong(span, "a move needs `from`".to_owned()),
            (Some(words), false) => wrong(words.span, "a start has no `from`".to_owned()),
            (None, false) => {}
        }
        if let Some(to) = file
            .to
            .as_ref()
            .filter(|to| !self.moments.contains_key(to.as_str()))
        {
            wrong(to.span, unknown("moment", to, moments()));
        }
        let mut draws = IndexMap::new();
        for (name, pools) in &file.draw {
            if !json_matcher::is_name(name) {
                wrong(
                    name.span,
                    format!(
                        "`{}` is not a name: use letters, digits and `_`",
                        name.value
                    ),
                );
            }
            for pool in pools.all() {
                if !self.pools.contains_key(pool) {
                    let known = self.pools.keys().map(String::as_str);
                    wrong(pools.span, unknown("pool", pool, known));
                }
            }
            draws.insert(name.value.clone(), pools.all().to_vec());
        }
        let sections = [
            root.get("moves"),
            root.get("starts"),
            root.at("/spliced/epilogue"),
        ];
        let of_this = |all: &Node| {
            all.get(name)
                .filter(|one| {
                    all.entry(name).is_some_and(|(key, _)| key.span == span) && !one.is_null()
                })
                .cloned()
        };
        let written = sections.into_iter().flatten().find_map(of_this);
        let is_numbered = written.is_some_and(|one| {
            let text = one.to_value().to_string();
            text.contains(NUMBER) || text.contains(TYPED_NUMBER)
        });
        let conditions = file.when.iter().map(|(name, node)| {
            let values = match node.to_value() {
                Value::Array(several) => several,
                one => vec![one],
            };
            (name.value.clone(), values)
        });
        Move {
            conditions: conditions.collect(),
            is_numbered,
            file,
            from,
            draws,
            place: Place {
                root: root.clone(),
                span,
            },
        }
    }

    /// Checks what only the whole table shows: a session can begin, and can end from every moment.
    fn check_whole(&self, files: &[Node]) -> Result<(), Vec<Error>> {
        let Some(last) = files.last() else {
            return Ok(());
        };
        let mut errors = Vec::new();
        if self.moments.is_empty() || self.starts.is_empty() || self.moves.is_empty() {
            errors.push(last.error("exploration needs `moments`, `starts` and `moves`"));
        }
        for moment in self.moments.keys() {
            if self.distance_to_end(moment).is_none() {
                let message =
                    format!("no moves lead from the moment `{moment}` to the end of a session");
                errors.push(last.error(message));
            }
        }
        errors.is_empty().then_some(()).ok_or(errors)
    }

    /// Keeps the starts and moves for which this is true of the capabilities that they need and the wire that they are for.
    pub fn retain(&mut self, holds: impl Fn(&[String], Option<&str>) -> bool) {
        let is_kept = |one: &Move| {
            let wire = one.file.wire.as_ref().map(|wire| wire.as_str());
            holds(&words(&one.file.needs), wire)
        };
        self.starts.retain(|_, one| is_kept(one));
        self.moves.retain(|_, one| is_kept(one));
        self.epilogue.retain(|_, one| is_kept(one));
    }

    /// The moment at which a session begins.
    #[must_use]
    pub fn first_moment(&self) -> &str {
        self.moments.keys().next().map_or("", String::as_str)
    }

    /// Whether a session may end at this moment.
    #[must_use]
    pub fn may_end(&self, moment: &str) -> bool {
        moment == self.first_moment() || self.moments.get(moment).is_some_and(|one| one.is_final)
    }

    /// The fewest moves from a moment to one at which a session may end; `None` if none lead there.
    pub(super) fn distance_to_end(&self, moment: &str) -> Option<usize> {
        let mut reached = IndexSet::from([moment]);
        let (mut begin, mut steps) = (0, 0);
        while begin < reached.len() {
            let end = reached.len();
            for n in begin..end {
                let here = reached[n];
                if self.may_end(here) {
                    return Some(steps);
                }
                let next = self.moves.values().filter(|one| one.from.contains(here));
                reached.extend(next.map(|one| one.leads_to(here)));
            }
            (begin, steps) = (end, steps + 1);
        }
        None
    }

    /// The data that a draw chooses from: pools and positions, the simplest first.
    pub(super) fn choices<'t>(
        &'t self,
        pools: &'t [String],
    ) -> impl Iterator<Item = (&'t String, usize, &'t Datum)> {
        pools.iter().flat_map(|pool| {
            let data = self.pools.get(pool).into_iter().flatten().enumerate();
            data.map(move |(n, datum)| (pool, n, datum))
        })
    }
}

/// A file in which every start and move has the names of a later version, or of an agent, as scenarios have them.
fn in_names_of(file: &Node, names: &Inheritance) -> Node {
    entries(file, |key, value| match key {
        "starts" | "moves" => entries(value, |_, one| inherit(one, names)),
        "spliced" => entries(value, |key, all| match key {
            "epilogue" => entries(all, |_, one| inherit(one, names)),
            _ => all.clone(),
        }),
        _ => value.clone(),
    })
}

fn common_pools() -> Result<IndexMap<String, Vec<Datum>>, Vec<Error>> {
    let root = load_yaml("pools.yaml", include_str!("pools.yaml")).map_err(|e| vec![e])?;
    decode_all(&root)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(in crate::explore) fn table(text: &str) -> Result<MoveTable, Vec<Error>> {
        MoveTable::merge(&[load_yaml("explore.yaml", text).unwrap()])
    }

    #[test]
    fn a_delta_replaces_adds_and_removes() {
        let base = "moments: { rest: { summary: s }, busy: { summary: s } }\n\
            starts: { plain: {} }\n\
            moves:\n  go: { from: rest, to: busy }\n  back: { from: any, to: rest }\n  old: { from: rest }\n";
        let delta = "remove: [old]\nmoves: { go: { from: any, to: busy, weight: 2 } }\n";
        let files = [base, delta].map(|text| load_yaml("e.yaml", text).unwrap());
        let table = MoveTable::merge(&files).unwrap();
        assert_eq!(table.moves.keys().collect::<Vec<_>>(), ["go", "back"]);
        assert_eq!(
            table.moves["go"].from,
            ["rest", "busy"].map(str::to_owned).into()
        );
        assert_eq!(table.distance_to_end("busy"), Some(1));
    }

    #[test]
    fn mistakes_are_reported_with_their_places() {
        let text = "moments: { rest: {} }\nstarts: { plain: { from: rest } }\nmoves:\n  go: { from: rset, to: away, draw: { x: txt, 'a b': text } }\n  none: {}\n";
        let errors = table(text).unwrap_err();
        let told: Vec<_> = errors
            .iter()
            .map(|error| (error.span.line, error.message.as_str()))
            .collect();
        assert_eq!(told.len(), 6, "{told:?}");
        assert!(
            told.iter()
                .any(|(line, message)| *line == 4 && message.contains("`rset`")),
            "{told:?}"
        );
    }

    #[test]
    fn a_class_that_no_datum_has_cannot_be_left_out() {
        let text = "moments: { rest: {} }\nstarts: { plain: {} }\nmoves: { go: { from: rest } }\nleft_out:\n  - { at: files, class: digist, why: w }\n";
        let errors = table(text).unwrap_err();
        let told = (errors.len(), errors[0].span.line);
        assert_eq!(told, (1, 5), "{errors:?}");
        assert!(errors[0].message.contains("`digits`"), "{errors:?}");
        assert!(table(&text.replace("digist", "digits")).is_ok());
    }

    #[test]
    fn a_moment_without_a_way_to_the_end_is_a_mistake() {
        let text = "moments: { rest: {}, trap: {} }\nstarts: { plain: {} }\nmoves: { go: { from: rest, to: trap } }\n";
        let errors = table(text).unwrap_err();
        assert!(errors[0].message.contains("`trap`"), "{errors:?}");
    }
}
