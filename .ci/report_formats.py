"""Reads reports with the libraries that others read them with: `report_formats.py NAME NPM`.

NAME.json is the report, NAME.xml, NAME.tap and NAME.sarif are made from it; NPM is the folder of the npm packages.
"""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
from junitparser import Error, Failure, JUnitXml, Skipped

name, npm = sys.argv[1], Path(sys.argv[2])
report = json.loads(Path(f"{name}.json").read_text())
verdicts = [scenario["verdict"] for scenario in report["scenarios"]]
stale = len(report.get("stale", []))
bad = [verdict for verdict in verdicts if verdict in ("fail", "inconclusive", "broken")]
left_out = [verdict for verdict in verdicts if verdict in ("skipped", "not_exercised")]
assert bad, "the report has no failure, so it shows little"


def same(what, actual, expected):
    assert actual == expected, f"{what}: {actual} instead of {expected}"
    print(f"ok: {what}: {actual}")


cases = [case for suite in JUnitXml.fromfile(f"{name}.xml") for case in suite]
with_result = lambda *kinds: sum(any(isinstance(one, kinds) for one in case.result) for case in cases)
same("JUnit test cases", len(cases), len(verdicts) + stale)
same("JUnit failures and errors", with_result(Failure, Error), len(bad) + stale)
same("JUnit skipped", with_result(Skipped), len(left_out))

tap = subprocess.run([npm / "node_modules/.bin/tap-parser", "-j", f"{name}.tap"], stdin=open(f"{name}.tap"), capture_output=True, text=True)
events = json.loads(tap.stdout)
points = [event[1] for event in events if event[0] == "assert"]
complete = next(event[1] for event in events if event[0] == "complete")
same("TAP points", len(points), len(verdicts) + stale)
same("TAP failures", complete["fail"], len(bad) + stale)
same("TAP skipped", complete["skip"], len(left_out))
same("TAP lines that are no TAP", [event[1] for event in events if event[0] == "extra"], [])
diagnosed = [point["diag"] for point in points if not point["ok"] and point.get("diag")]
same("TAP diagnostics of failures", len(diagnosed), len(bad))
assert all(cause["message"] for diag in diagnosed for cause in diag.get("causes", []))

schema = json.loads((npm / "node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json").read_text())
sarif = json.loads(Path(f"{name}.sarif").read_text())
jsonschema.validators.validator_for(schema)(schema).validate(sarif)
print("ok: SARIF fits its schema")
results = sarif["runs"][0]["results"]
same("SARIF results", len(results), len(report["causes"]))
places = {one["physicalLocation"]["artifactLocation"]["uri"] for result in results for one in result["locations"] + result["relatedLocations"]}
same("SARIF places are files of the user", places, {report["agent_file"]})
