//! The shards: their readings, the table with its columns, order and filter, and what ails them.

pub mod causes;
pub mod column;
pub mod columns;
pub mod diagnosis;
pub mod filter;
pub mod order;
pub mod remark;
pub mod rows;
pub mod shard_row;
pub mod table;
pub mod track;
pub mod value_counts;
