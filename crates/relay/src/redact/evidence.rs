//! Whether a text in the place of a secret is one. Words, paths, states and placeholders are not.

/// What is known about the place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evidence {
    /// Only a secret stands in this place.
    Certain,
    /// A value whose name is that of a secret.
    Named,
    /// The same in plain text, where it may be a word of a sentence or code.
    Written,
    /// A value whose name may be that of a secret; it is one if it is long and not made of words.
    Random,
}

/// The fewest characters of a secret that only its look shows.
const SHORTEST_RANDOM: usize = 12;
/// A longer run of letters is no word.
const LONGEST_WORD: usize = 15;
/// The longest step of a path.
const LONGEST_STEP: usize = 24;

/// Values that say something about a secret.
const STATES: &str = "required optional none null nil undefined true false yes no on off string str text missing invalid expired denied \
    granted pending unauthorized authorized unauthenticated authenticated forbidden enabled disabled unknown empty unset set ok failed \
    success password passwd pass secret token key bearer basic auto default prompt keychain keyring env";
/// A value with one of these parts stands for the secret of a reader.
const PLACEHOLDERS: &str =
    "your example sample placeholder changeme dummy insert replace todo redacted masked";
/// Words of a sentence. A passphrase rarely has one.
const SENTENCE: &str =
    "a an and are be for from in is must not of or the this to was will with you";
/// Names of values that are no secrets although their last word is that of one.
const OTHER_NAMES: [&str; 13] = [
    "page", "next", "continu", "cursor", "sync", "cancel", "resum", "progress", "special", "eos",
    "bos", "mask", "public",
];

impl Evidence {
    /// Whether a text is a secret. `name` is that of the value, or empty.
    pub(super) fn accepts(self, name: &str, value: &str) -> bool {
        let lower = value.to_ascii_lowercase();
        if is_placeholder(value) || listed(STATES, &lower) {
            return false;
        }
        let is_other = || {
            let name = name.to_ascii_lowercase();
            OTHER_NAMES.iter().any(|part| name.contains(part))
        };
        let is_sentence =
            || value.contains(' ') && lower.split(' ').any(|word| listed(SENTENCE, word));
        match self {
            Evidence::Certain => !is_words(value, true),
            Evidence::Named => !is_path(value) && !is_sentence(),
            Evidence::Written => !is_path(value) && (is_variable(name) || !is_words(value, false)),
            Evidence::Random => {
                value.len() >= SHORTEST_RANDOM
                    && !is_other()
                    && !is_path(value)
                    && !is_sentence()
                    && !is_words(value, true)
            }
        }
    }
}

/// Whether this is one of the words of a list.
fn listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

/// Whether a name is written as that of an environment variable.
fn is_variable(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_uppercase())
        && !name.contains(|c: char| c.is_ascii_lowercase() || c == '-')
}

/// Whether a value stands for another one: `$NAME`, `<token>`, `{{ key }}`, `xxxx`, `sk-...`, `your-api-key`.
fn is_placeholder(value: &str) -> bool {
    let between = |from, to| value.starts_with(from) && value.ends_with(to);
    let is_reference = || {
        let name = value
            .strip_prefix("$env:")
            .or_else(|| value.strip_prefix('$'));
        name.is_some_and(|name| is_variable(name) && parts(name).all(|part| !part.is_empty()))
    };
    let is_repeated =
        |part: &str| part.len() > 2 && part.bytes().all(|byte| byte == part.as_bytes()[0]);
    let is_dummy =
        |part: &str| is_repeated(part) || listed(PLACEHOLDERS, &part.to_ascii_lowercase());
    between('<', '>')
        || between('{', '}')
        || between('%', '%')
        || between('(', ')')
        || ["${", "$(", "{{", "...", "…", "%s", "***"]
            .iter()
            .any(|mark| value.contains(mark))
        || is_reference()
        || ["EXAMPLE", "EXAMPLEKEY"]
            .iter()
            .any(|end| value.ends_with(end))
        || parts(value).any(is_dummy)
            && parts(value).all(|part| is_dummy(part) || is_words(part, true))
}

/// Whether a value is the path of a file.
fn is_path(value: &str) -> bool {
    let is_rooted = ["/", "./", "../", "~/", "C:\\"]
        .iter()
        .any(|root| value.starts_with(root));
    is_rooted
        && value
            .split(['/', '\\'])
            .all(|step| step.len() <= LONGEST_STEP)
}

/// The runs of letters and digits of a value.
fn parts(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !c.is_alphanumeric())
}

/// Whether a value is made of words and small numbers: `page-2-of-the-listing`, `process.env.API_KEY`. `numbered`: also of words that end
/// in a number, such as `sha256`.
pub(super) fn is_words(value: &str, numbered: bool) -> bool {
    parts(value).all(|part| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = part.len() - word.len();
        let is_number = word.is_empty() && digits <= 8;
        is_number || (is_word(word) && (digits == 0 || (numbered && digits <= 3)))
    })
}

/// Whether a run of letters is a word, or several in camel case.
fn is_word(word: &str) -> bool {
    if !word.chars().all(char::is_alphabetic) {
        return false;
    }
    let is_upper = |c: &char| c.is_ascii_uppercase();
    let upper = word.chars().filter(is_upper).count();
    if upper == word.len() {
        return word.len() <= LONGEST_WORD;
    }
    let humps = upper + usize::from(!word.starts_with(|c: char| c.is_ascii_uppercase()));
    let longest = word
        .split(|c: char| c.is_ascii_uppercase())
        .map(str::len)
        .max();
    longest.unwrap_or(0) <= LONGEST_WORD && word.len() >= 3 * humps.saturating_sub(1)
}
