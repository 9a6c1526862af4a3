//! Slurm: the job that this process belongs to, and jobs that are asked for.

pub mod jobs;
pub mod own_job;
