//! The files that a client reads and writes: those of the workspace, and none outside of it.

use super::{passes, play_in, scenario};
use crate::harness::TestDir;
use conform_judge::finding::Level;
use conform_report::Verdict;

#[test]
fn files_of_the_workspace_are_read_with_lines_and_limits_and_written() {
    let notes = passes(&scenario(
        "client: [reads, writes]\nfiles: { a.txt: \"one\\ntwo\\nthree\\n\" }\nfiles_after: { new/b.txt: hi, a.txt: present }",
        &[
            "{ ask: file/read, params: { path: \"{workspace}/a.txt\" } }",
            "{ ask: file/read, params: { path: \"{workspace}/a.txt\", line: 2, limit: 1 } }",
            "{ ask: file/read, params: { path: a.txt, line: 9, limit: null } }",
            "{ ask: file/write, params: { path: \"{workspace}/new/b.txt\", text: hi } }",
            "{ ask: file/read, params: { path: \"{workspace}/./new/../new/b.txt\" } }",
            "{ ask: file/read, params: { path: \"{workspace}/gone.txt\" } }",
            "{ ask: file/read, params: { path: 7 } }",
            "{ ask: file/read, params: { path: \"{workspace}\" } }",
        ],
        &[
            "{ result: { text: \"one\\ntwo\\nthree\\n\" } }",
            "{ result: { text: \"two\\n\" } }",
            "{ result: { text: \"\" } }",
            "{ result: {} }",
            "{ result: { text: hi } }",
            "{ error: { code: -32002 } }",
            "{ error: { code: -32602, message: { $contains: /params/path } } }",
            "{ error: { code: -32603 } }",
        ],
    ));
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn nothing_outside_of_the_workspace_is_read_or_written() {
    let dir = TestDir::new();
    let secret = dir.file("secret/key.txt", "secret");
    let outside = dir.path("secret");
    let outside = outside.to_str().unwrap();
    let refused = "{ error: { code: -32602, message: { $contains: is not in the workspace } } }";
    let text = scenario(
        "client: [reads, writes, runs]",
        &[
            "{ ask: file/read, params: { path: /etc/passwd } }",
            "{ ask: file/read, params: { path: ../secret } }",
            "{ ask: file/read, params: { path: \"{workspace}/a/../../x\" } }",
            &format!(
                "{{ ask: shell/start, params: {{ command: sh, args: [-c, \"ln -s {secret} file; ln -s {outside} folder; ln -s a.txt inner; ln -s loop loop; mkfifo pipe; echo hi > a.txt\"] }} }}"
            ),
            "{ ask: shell/wait, params: { shell: $3.shell } }",
            "{ ask: shell/release, params: { shell: $3.shell } }",
            "{ ask: file/read, params: { path: \"{workspace}/file\" } }",
            "{ ask: file/write, params: { path: \"{workspace}/folder/key.txt\", text: lost } }",
            "{ ask: file/read, params: { path: \"{workspace}/inner\" } }",
            "{ ask: file/read, params: { path: loop } }",
            "{ ask: file/read, params: { path: pipe } }",
            "{ ask: file/read, params: { path: a.txt/b } }",
            &format!("{{ ask: shell/start, params: {{ command: pwd, cwd: {outside} }} }}"),
        ],
        &[
            refused,
            refused,
            "{ error: { code: { $one_of: [-32602, -32002] } } }",
            "{ result: {} }",
            "{ result: { code: 0 } }",
            "{ result: {} }",
            refused,
            refused,
            "{ result: { text: \"hi\\n\" } }",
            "{ error: { code: -32603 } }",
            "{ error: { code: -32603 } }",
            "{ error: { code: -32002 } }",
            refused,
        ],
    );
    let result = play_in(&dir, &text);
    let played = result.only_scenario();
    assert_eq!(played.verdict, Verdict::Pass, "{}", result.stdout);
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    let told = played.findings.iter().map(|one| one.message.as_str());
    let told: Vec<_> = told.collect();
    assert!(
        told.contains(&"the client refused `file/read`: /etc/passwd is not in the workspace"),
        "{told:?}"
    );
    assert!(played.findings.iter().all(|one| one.level == Level::May));
}

#[test]
fn a_link_that_changes_between_check_and_use_leads_nowhere() {
    let dir = TestDir::new();
    let secret = dir.file("secret/key.txt", "secret");
    let outside = dir.path("secret").display().to_string();
    let file = ["both", "{workspace}/a.txt", &secret, "both"];
    let folder = ["folder", "real", &outside, "folder/key.txt"];
    for [link, inside, outside, path] in [file, folder] {
        let read = format!("{{ ask: file/read, params: {{ path: \"{{workspace}}/{path}\" }} }}");
        let write = format!(
            "{{ ask: file/write, params: {{ path: \"{{workspace}}/{path}\", text: lost }} }}"
        );
        let swap = format!("{{ swap: [\"{{workspace}}/{link}\", [\"{inside}\", \"{outside}\"]] }}");
        let mut actions = vec![swap.as_str(), "{ nap: 0.2 }"];
        actions.extend([read.as_str(); 200]);
        actions.extend([write.as_str(); 100]);
        let fits = "{ $not: { result: { text: { $contains: secret } } } }";
        let text = scenario(
            "client: [reads, writes]\nfiles: { a.txt: hi, real/key.txt: hi }",
            &actions,
            &[fits; 300],
        );
        let result = play_in(&dir, &text);
        assert_eq!(
            result.only_scenario().verdict,
            Verdict::Pass,
            "{}",
            result.stdout
        );
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    }
}
