//! Trainings that are evaluated by episodes: `Step 3000/45000, Loss: 0.03` before and behind each round of them.

/// Steps that grew so often behind a round of episodes go on.
const FEWEST_GROWN: u32 = 2;

/// The steps that are counted alongside the episodes.
#[derive(Debug, Default)]
pub struct TrainingSteps {
    done: u64,
    total: u64,
    /// So often they grew since the newest episode.
    grown: u32,
    /// Whether they were counted between two episodes of a round: then they are steps of an episode.
    lies_within: bool,
}

impl TrainingSteps {
    /// Takes so many steps of so many; `within` a round of episodes or not.
    pub fn take(&mut self, done: u64, total: u64, within: bool) {
        self.lies_within |= within;
        self.grown += u32::from(total == self.total && done > self.done);
        (self.done, self.total) = (done, total);
    }

    /// Takes that an episode is over.
    pub fn pause(&mut self) {
        self.grown = 0;
    }

    /// Reports whether it has more steps than there are episodes and has not made them all: the episodes are not its
    /// end.
    pub fn outlasts(&self, episodes: u64) -> bool {
        !self.lies_within && self.total > episodes && self.done < self.total
    }

    /// Its steps go on behind the episodes.
    pub fn goes_on(&self) -> bool {
        self.grown >= FEWEST_GROWN
    }
}
