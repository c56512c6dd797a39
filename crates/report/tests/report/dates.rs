//! Dates in baselines.

use conform_report::baseline::Date;

#[test]
fn only_real_dates_in_full_are_read_and_they_are_counted_from_1970() {
    for bad in [
        "",
        "2026",
        "2026-13-01",
        "2026-02-29",
        "26-01-01",
        "2026-1-x",
        "2026-1-2",
    ] {
        assert!(bad.parse::<Date>().is_err(), "{bad}");
    }
    for (seconds, date) in [
        (0, "1970-01-01"),
        (951_782_400, "2000-02-29"),
        (1_795_219_200, "2026-11-21"),
    ] {
        assert_eq!(Date::of_unix(seconds), date.parse().unwrap());
    }
    assert!(Date::of_unix(0) < Date::of_unix(86_400));
}
