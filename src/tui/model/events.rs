//! What happened, newest last: facts of the journal in words, and what was asked for from this screen.

use std::collections::VecDeque;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::model::command::{Command, Selection};
use crate::model::ids::ShardId;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::state::fact::{Event, Fact};
use crate::tui::model::shards::filter::Filter;
use crate::tui::model::words;
use crate::tui::theme::role::Role;

/// Older ones are in the journal.
const MOST: usize = 2000;

/// A line of the list of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLine {
    /// Moment at which the event happened.
    pub at: Timestamp,
    /// Role that colours the line by its importance.
    pub role: Role,
    /// Number of the user who asked for it, if a user did.
    pub by: Option<u32>,
    /// The event as a sentence.
    pub text: String,
    /// The setting that it changes, if it changes one that may soon be changed again.
    pub setting: Option<RunSetting>,
    /// Number of changes of the setting that this line sums up.
    pub changes: usize,
}

/// A setting that can be changed from here again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunSetting {
    /// The limit of shards that run in parallel.
    Parallel,
    /// The VRAM that is left free.
    Reserve,
    /// The GPUs that new shards get.
    Gpus,
    /// The places of shards in the queue.
    Priority(Vec<ShardId>),
}

impl RunSetting {
    /// The one that a fact sets.
    fn of_fact(event: &Event) -> Option<Self> {
        if let Event::PriorityChanged { shard, .. } = event {
            return Some(Self::Priority(vec![shard.clone()]));
        }
        let plain = [
            (matches!(event, Event::ParallelChanged { .. }), Self::Parallel),
            (matches!(event, Event::ReserveChanged { .. }), Self::Reserve),
            (matches!(event, Event::GpusChosen { .. }), Self::Gpus),
        ];
        plain.into_iter().find(|(is_it, _)| *is_it).map(|(_, setting)| setting)
    }

    /// The one that a command sets.
    pub fn of_command(command: &Command) -> Option<Self> {
        match command {
            Command::SetParallel { .. } => Some(Self::Parallel),
            Command::SetReserve { .. } => Some(Self::Reserve),
            Command::SetGpus { .. } => Some(Self::Gpus),
            Command::SetPriority { shards: Selection::These(ids), .. } => Some(Self::Priority(ids.clone())),
            Command::SetPriority { shards: Selection::All | Selection::Failed, .. }
            | Command::Pause { .. }
            | Command::Resume { .. }
            | Command::Kill { .. }
            | Command::Requeue { .. }
            | Command::RequeueEdited { .. }
            | Command::Undo { .. }
            | Command::Stop { .. }
            | Command::Continue
            | Command::StartNow
            | Command::StartAt { .. }
            | Command::AddValues { .. }
            | Command::Unwatch { .. }
            | Command::Restart { .. }
            | Command::Ping => None,
        }
    }
}

impl EventLine {
    /// A line about something that was done here.
    pub fn of_user(at: Timestamp, role: Role, text: &str, setting: Option<RunSetting>) -> Self {
        Self { at, role, by: None, text: format!("you: {text}"), setting, changes: 1 }
    }
}

/// The start itself follows within milliseconds with the same content; what an order did, its facts say.
fn says_nothing(event: &Event) -> bool {
    let is_plain =
        |event: &NodeEvent| matches!(event, NodeEvent::OrderDone { notes, .. } if notes.is_empty());
    matches!(event, Event::AttemptStarting { .. }) || matches!(event, Event::Node(event) if is_plain(event))
}

/// The list of events, with its scroll position and filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// The newest events, oldest first; older ones are dropped.
    pub lines: VecDeque<EventLine>,
    /// How many of the lines that pass the filter the view is scrolled up; 0 follows.
    pub scrolled: usize,
    /// The filter that the user typed to narrow the list.
    pub filter: Filter,
}

impl Events {
    /// Takes facts. Only as many are put into words as are kept.
    pub fn add_facts(&mut self, facts: &[Fact], zone: &TimeZone) {
        for fact in &facts[facts.len().saturating_sub(MOST)..] {
            if says_nothing(&fact.event) {
                continue;
            }
            let (role, text) = words::describe_event(fact, zone);
            let by = words::event_actor(&fact.event).map(|actor| actor.uid);
            let setting = RunSetting::of_fact(&fact.event);
            self.push(EventLine { at: fact.at, role, by, text, setting, changes: 1 });
        }
    }

    /// Adds a line; one that sets again what the newest lines set takes the place of the one before it.
    pub fn push(&mut self, line: EventLine) {
        if let Some(before) = self.same_setting(&line) {
            *before = EventLine { changes: before.changes + 1, ..line };
            return;
        }
        if self.lines.len() == MOST {
            self.lines.pop_front();
        }
        // A view that is scrolled up keeps showing the same lines.
        if self.scrolled > 0 && self.filter.admits_text(&line.text) {
            self.scrolled = (self.scrolled + 1).min(self.lines.len());
        }
        self.lines.push_back(line);
    }

    /// The line of the same setting and user among the newest ones: facts and what was asked for here come in turn.
    fn same_setting(&mut self, line: &EventLine) -> Option<&mut EventLine> {
        let setting = line.setting.as_ref()?;
        let is_again = |known: &&mut EventLine| match (&known.setting, setting) {
            (Some(RunSetting::Priority(_)), RunSetting::Priority(_)) => true,
            (known, setting) => known.as_ref() == Some(setting),
        };
        let own = |line: &EventLine| (line.by, line.text.starts_with("you: "));
        let whose = own(line);
        let mut newest = self.lines.iter_mut().rev().take_while(is_again);
        newest.find(|known| known.setting.as_ref() == Some(setting) && own(known) == whose)
    }

    /// The lines that pass the filter, oldest first.
    pub fn shown_lines(&self) -> impl DoubleEndedIterator<Item = &EventLine> {
        self.lines.iter().filter(|line| self.filter.is_empty() || self.filter.admits_text(&line.text))
    }

    /// How many lines pass the filter.
    pub fn count_shown(&self) -> usize {
        if self.filter.is_empty() { self.lines.len() } else { self.shown_lines().count() }
    }

    /// Narrows the list, and shows its end.
    pub fn set_filter(&mut self, text: &str) {
        self.filter = Filter::new(text);
        self.scrolled = 0;
    }

    /// Scrolls by lines, positive is up, within what there is.
    pub fn scroll(&mut self, lines: isize, page: usize) {
        let most = self.count_shown().saturating_sub(page);
        self.scrolled = self.scrolled.saturating_add_signed(lines).min(most);
    }
}
