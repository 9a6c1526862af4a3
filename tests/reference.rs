//! The statistics held against digits that scipy and statsmodels computed: `tests/reference/digits.py` makes them.

use serde_json::Value;
use sweepdeck::results::interval::WilsonInterval;
use sweepdeck::results::statistics::difference::{Difference, Sample};
use sweepdeck::results::statistics::distributions::student::{MeanInterval, Welch, quantile_95};
use sweepdeck::results::statistics::distributions::{beta, bootstrap, normal};
use sweepdeck::results::statistics::paired::paired_metric;
use sweepdeck::results::statistics::paired::paired_rate::Pairs;
use sweepdeck::results::statistics::{any_time, headline, holm, mantel_haenszel};

/// Where nothing is drawn by chance.
const CLOSE: f64 = 1e-12;

#[test]
fn the_digits_are_those_of_the_reference() {
    let text = include_str!("reference/digits.json");
    let cases: Vec<Value> = serde_json::from_str(text).expect("a list of cases");
    assert!(cases.len() > 50, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let what = case["what"].as_str().expect("a name");
        let within = case["within"].as_f64().unwrap_or(CLOSE);
        let (computed, expected) = (computed(what, &case["in"]), numbers(&case["out"]));
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= within * a.abs().max(b.abs()).max(1.0);
        if computed.len() != expected.len() || !computed.iter().zip(&expected).all(near) {
            wrong.push(format!("{what} of {}: {computed:?} in place of {expected:?}", case["in"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn computed(what: &str, input: &Value) -> Vec<f64> {
    match what {
        "wilson" => of_interval(WilsonInterval::wilson(at(input, 0), at(input, 1)).expect("an interval")),
        "newcombe" => {
            let (first, second) = sides(input);
            let difference = Difference::between_samples(first, second).expect("a difference");
            vec![difference.low, difference.high]
        }
        "stratified_difference" => of_difference(Difference::stratified(&strata(input))),
        "cochran_mantel_haenszel" => vec![mantel_haenszel::p_value(&strata(input))],
        "stratified_mean" => {
            let samples: Vec<Sample> = list(input).iter().map(|sample| self::sample(sample, 0)).collect();
            let (value, interval) = headline::stratified_mean(&samples).expect("a mean");
            std::iter::once(value).chain(of_interval(interval)).collect()
        }
        "paired_p" => {
            let pairs = pairs(input, count(input, 0) + count(input, 1));
            vec![pairs.exact_p(), pairs.mid_p()]
        }
        "tango" => of_difference(pairs(input, count(input, 2)).difference_at(at(input, 3))),
        "any_time" => of_interval(any_time::any_time_interval(sample(input, 0)).expect("an interval")),
        "normal_p" => vec![normal::two_sided_p(at(input, 0))],
        "beta" => vec![beta::regularised_beta(at(input, 0), at(input, 1), at(input, 2))],
        "t_quantile" => vec![quantile_95(at(input, 0))],
        "t_interval" => {
            let found = MeanInterval::from_values(&numbers(input)).expect("an interval");
            vec![found.mean, found.deviation, found.low, found.high]
        }
        "welch" => {
            let found = Welch::from_samples(&numbers(&input[0]), &numbers(&input[1])).expect("a difference");
            vec![
                found.value,
                found.low,
                found.high,
                found.p_value,
                found.freedom.expect("numbers that differ"),
            ]
        }
        "holm" => holm::adjust_p_values(&numbers(input)),
        "cluster_bootstrap" => {
            of_interval(bootstrap::of_clusters("reference", &numbers(input)).expect("an interval"))
        }
        "paired_bootstrap" => {
            let found =
                paired_metric::paired_interval(&numbers(input), "reference", 9999).expect("an interval");
            vec![found.low, found.high]
        }
        other => panic!("nothing computes `{other}`"),
    }
}

fn list(input: &Value) -> &[Value] {
    input.as_array().expect("a list")
}

fn numbers(input: &Value) -> Vec<f64> {
    list(input).iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn at(input: &Value, place: usize) -> f64 {
    input[place].as_f64().expect("a number")
}

fn count(input: &Value, place: usize) -> u32 {
    u32::try_from(input[place].as_u64().expect("a count")).expect("a small count")
}

fn sample(input: &Value, place: usize) -> Sample {
    Sample { successes: at(input, place), episodes: at(input, place + 1) }
}

fn sides(input: &Value) -> (Sample, Sample) {
    (sample(input, 0), sample(input, 2))
}

fn strata(input: &Value) -> Vec<(Sample, Sample)> {
    list(input).iter().map(sides).collect()
}

fn pairs(input: &Value, all: u32) -> Pairs {
    let (first_only, second_only) = (count(input, 0), count(input, 1));
    Pairs { both: all - first_only - second_only, first_only, second_only, neither: 0 }
}

fn of_interval(interval: WilsonInterval) -> Vec<f64> {
    vec![interval.low, interval.high]
}

fn of_difference(difference: Option<Difference>) -> Vec<f64> {
    let difference = difference.expect("a difference");
    vec![difference.value, difference.low, difference.high]
}
