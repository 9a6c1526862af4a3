//! Integrates ordinary differential equations with the classical Runge-Kutta method of fourth order.

/// Carries a state over a time span, cut into equal fine steps; `rates` gives the derivative of each component.
pub fn runge_kutta<const N: usize>(
    state: [f64; N],
    span: f64,
    steps: u32,
    rates: impl Fn(&[f64; N]) -> [f64; N],
) -> [f64; N] {
    let step = span / f64::from(steps);
    let mut state = state;
    for _ in 0..steps {
        let first = rates(&state);
        let second = rates(&advance_state(&state, &first, step / 2.0));
        let third = rates(&advance_state(&state, &second, step / 2.0));
        let fourth = rates(&advance_state(&state, &third, step));
        for i in 0..N {
            state[i] += step / 6.0 * (first[i] + 2.0 * second[i] + 2.0 * third[i] + fourth[i]);
        }
    }
    state
}

fn advance_state<const N: usize>(state: &[f64; N], rates: &[f64; N], step: f64) -> [f64; N] {
    std::array::from_fn(|i| state[i] + step * rates[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_step_leaves_a_sixteenth_of_the_error() {
        let error = |steps| {
            let [end] = runge_kutta([1.0], 1.0, steps, |[x]| [-x]);
            (end - (-1.0_f64).exp()).abs()
        };
        let ratio = error(10) / error(20);
        assert!((ratio - 16.0).abs() < 1.0, "{ratio}");
    }
}
