//! What the recorder takes for a secret, and what it leaves.

use conform_relay::Redactor;
use regex::Regex;

/// Characters that are nobody's secret, for `<FAKE:20>` and the like.
fn expanded(text: &str) -> String {
    let fake = Regex::new("<(FAKE|FAKEUP|HEX):([0-9]+)>").unwrap();
    let expanded = fake.replace_all(text, |found: &regex::Captures<'_>| {
        let word = match &found[1] {
            "FAKE" => "fake",
            "FAKEUP" => "FAKE",
            _ => "fa4e",
        };
        word.chars()
            .cycle()
            .take(found[2].parse().unwrap())
            .collect::<String>()
    });
    expanded.into_owned()
}

fn redactor() -> Redactor {
    let environment = [
        ("MY_SERVICE_KEY", "correct horse battery"),
        ("MULTILINE_SECRET", "two\nlines"),
        ("EDITOR_KEY", "vim"),
        ("SSH_KEY", "/home/me/.ssh/id"),
        ("PATH", "/usr/local/bin"),
    ];
    Redactor::new(
        environment
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned())),
    )
}

/// The lines of a file without comments.
fn lines(file: &str) -> Vec<String> {
    let lines = file
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines.map(expanded).collect()
}

fn redacted(redactor: &Redactor, text: &str) -> String {
    String::from_utf8(redactor.text(text.as_bytes()).into_owned()).unwrap()
}

#[test]
fn secrets_are_replaced_and_the_rest_stays() {
    let redactor = redactor();
    let lines = lines(include_str!("redaction/secrets.txt"));
    let wrong = lines.chunks(2).filter_map(|pair| {
        let once = redacted(&redactor, &pair[0]);
        (once != pair[1] || redacted(&redactor, &once) != once)
            .then(|| format!("{}\n  {once}\n  {}", pair[0], pair[1]))
    });
    let wrong: Vec<String> = wrong.collect();

    assert!(
        wrong.is_empty(),
        "text, redacted, expected:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn texts_without_a_secret_stay() {
    let redactor = redactor();
    let lines = lines(include_str!("redaction/harmless.txt"));
    let wrong: Vec<String> = lines
        .iter()
        .map(|text| redacted(&redactor, text))
        .zip(&lines)
        .filter(|(now, text)| now != *text)
        .map(|(now, _)| now)
        .collect();

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn frames_stay_json() {
    let redactor = redactor();
    let lines = lines(include_str!("redaction/secrets.txt"));
    for line in lines.iter().filter(|line| line.starts_with('{')) {
        let text = redacted(&redactor, line);
        assert!(
            serde_json::from_str::<serde_json::Value>(&text).is_ok(),
            "{text}"
        );
    }
}

#[test]
fn secret_arguments_are_redacted() {
    let args = ["agent", "--api-key", "k1", "--token=k2", "--model", "m"].map(str::to_owned);

    assert_eq!(
        redactor().args(&args),
        [
            "agent",
            "--api-key",
            "[redacted]",
            "--token=[redacted]",
            "--model",
            "m"
        ]
    );
}
