//! One `eval_info.json` of LeRobot, as a document that may be wrapped in a map of one member.

use crate::results::merge::json::{Json, Style};
use crate::results::merge::piece::{Piece, PieceFault, PieceRefusal, text_of};

/// Members of which a file of LeRobot has at least one.
const MARKS: [&str; 5] = ["per_task", "per_group", "overall", "per_episode", "aggregated"];

/// A piece as a document.
pub struct EvalDocument<'a> {
    /// Piece that the document was read from.
    pub piece: &'a Piece,
    /// The document, without a map around it.
    pub body: Json,
    /// The name it has in a map around it.
    pub wrapped: Option<String>,
    /// How it is laid out.
    pub style: Style,
}

/// Reads a piece as a document of LeRobot.
pub fn read_part(piece: &Piece) -> Result<EvalDocument<'_>, PieceRefusal> {
    let text = text_of(&piece.bytes);
    let unreadable = |why: String| PieceRefusal::new(&piece.shard, PieceFault::Unreadable, why);
    let json = Json::parse(&text).map_err(|error| unreadable(format!("it {error}")))?;
    let style = Style::from_text(&text);
    let is_info = |json: &Json| MARKS.iter().any(|mark| json.get(mark).is_some());
    if is_info(&json) {
        return Ok(EvalDocument { piece, body: json, wrapped: None, style });
    }
    match json.members() {
        Some([(name, body)]) if is_info(body) => {
            Ok(EvalDocument { piece, body: body.clone(), wrapped: Some(name.clone()), style })
        }
        Some(_) | None => Err(unreadable("it is no eval_info.json of LeRobot".to_owned())),
    }
}

impl EvalDocument<'_> {
    /// Returns what all pieces must have in common: the members of LeRobot, and the map around them.
    pub fn shape(&self) -> (Vec<&'static str>, &Option<String>) {
        (MARKS.into_iter().filter(|mark| self.body.get(mark).is_some()).collect(), &self.wrapped)
    }

    /// Reports in what this piece has another shape than the first.
    pub fn refuse_shape(&self, first: &EvalDocument<'_>) -> PieceRefusal {
        let members = |part: &EvalDocument<'_>| part.shape().0.join(", ");
        let why = format!("it holds {}, {} holds {}", members(self), first.piece.shard, members(first));
        self.refuse(PieceFault::Different, why)
    }

    /// Reports why this piece cannot be taken.
    pub fn refuse(&self, fault: PieceFault, why: impl Into<String>) -> PieceRefusal {
        PieceRefusal::new(&self.piece.shard, fault, why)
    }
}
