"""Run by hand, never by the scheduler: the rehearsal and the tools around the pipeline."""
