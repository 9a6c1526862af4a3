//! Runs one episode of one problem under one policy.

use serde::Serialize;

use super::acrobot::Acrobot;
use super::cart_pole::CartPole;
use super::mountain_car::MountainCar;
use super::pendulum::Pendulum;
use super::problem::{ControlProblem, EarlyEnd};
use super::random::Random;
use super::task::{DemoPolicy, Environment};

/// The random policy keeps an action for eight steps on average: white noise would hardly move anything.
const CHANGE_CHANCE: f64 = 1.0 / 8.0;

/// Result of an episode: one line of `episodes.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EpisodeRecord {
    /// Its number, from 1.
    pub episode: u64,
    /// The seed of the evaluation.
    pub seed: u64,
    /// All rewards added up.
    pub reward: f64,
    /// Number of control steps it took.
    pub length: u32,
    /// Whether the goal was reached.
    pub success: bool,
    /// Simulated time in seconds.
    pub simulated_s: f64,
}

/// Runs the episode with this number. Seed and number fix its start and all chance in it, so that both
/// policies meet the same episodes.
pub fn run_episode(environment: Environment, policy: DemoPolicy, seed: u64, episode: u64) -> EpisodeRecord {
    match environment {
        Environment::CartPole => run_problem::<CartPole>(policy, seed, episode),
        Environment::Pendulum => run_problem::<Pendulum>(policy, seed, episode),
        Environment::MountainCar => run_problem::<MountainCar>(policy, seed, episode),
        Environment::Acrobot => run_problem::<Acrobot>(policy, seed, episode),
    }
}

/// Control steps after which an episode of this problem is over at the latest.
pub fn max_steps(environment: Environment) -> u32 {
    match environment {
        Environment::CartPole => CartPole::HORIZON,
        Environment::Pendulum => Pendulum::HORIZON,
        Environment::MountainCar => MountainCar::HORIZON,
        Environment::Acrobot => Acrobot::HORIZON,
    }
}

fn run_problem<P: ControlProblem>(policy: DemoPolicy, seed: u64, episode: u64) -> EpisodeRecord {
    // Chance in the world and in the policy come from two streams: what one policy draws does not change the world.
    let mut world = Random::new(seed, 2 * episode);
    let mut actor = DemoAgent { policy, random: Random::new(seed, 2 * episode + 1), held: 0.0 };
    let mut problem = P::begin(&mut world);
    let (mut reward, mut length, mut end) = (0.0, 0, None);
    while end.is_none() && length < P::HORIZON {
        let step = problem.step(actor.choose_action(&problem), &mut world);
        reward += step.reward;
        length += 1;
        end = step.end;
    }
    let success = match end {
        Some(EarlyEnd::Reached) => true,
        Some(EarlyEnd::Failed) => false,
        None => problem.succeeds_at_horizon(),
    };
    EpisodeRecord { episode, seed, reward, length, success, simulated_s: f64::from(length) * P::STEP }
}

struct DemoAgent {
    policy: DemoPolicy,
    random: Random,
    /// The action that the random policy keeps.
    held: f64,
}

impl DemoAgent {
    fn choose_action(&mut self, problem: &impl ControlProblem) -> f64 {
        match self.policy {
            DemoPolicy::Tuned => problem.tuned_action(),
            DemoPolicy::Random => {
                if self.random.chance(CHANGE_CHANCE) {
                    self.held = if self.random.chance(0.5) { 1.0 } else { -1.0 };
                }
                self.held
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn successes(environment: Environment, policy: DemoPolicy, episodes: u64) -> usize {
        (1..=episodes).filter(|number| run_episode(environment, policy, 7, *number).success).count()
    }

    #[test]
    fn an_episode_depends_on_seed_and_number_alone() {
        for environment in Environment::ALL {
            for policy in DemoPolicy::ALL {
                let rewards = |seed| {
                    (1..=25)
                        .map(|number| run_episode(environment, policy, seed, number).reward)
                        .collect::<Vec<_>>()
                };
                assert_eq!(rewards(7), rewards(7));
                assert_ne!(rewards(7), rewards(8), "{environment} {policy}");
            }
        }
    }

    #[test]
    fn tuned_solves_most_and_random_few_but_neither_is_perfect() {
        for environment in Environment::ALL {
            let tuned = successes(environment, DemoPolicy::Tuned, 200);
            let random = successes(environment, DemoPolicy::Random, 200);
            assert!((120..200).contains(&tuned), "{environment}: tuned solves {tuned} of 200");
            assert!(random < 60, "{environment}: random solves {random} of 200");
        }
    }
}
