// The tables of the queue and of the schedules, the same on both databases. `job-store.ts` describes the queue.

/** Parameters as in `webhookTables`. `rowNumber` is the definition of a column that numbers rows in the order of their inserts. */
export function jobTables({
  text,
  whole,
  kind,
  rowNumber,
}: Record<'text' | 'whole' | 'kind' | 'rowNumber', string>): string {
  return `
CREATE TABLE IF NOT EXISTS twain_job (
  ${rowNumber},
  id ${text} NOT NULL UNIQUE,
  _version ${whole} NOT NULL DEFAULT 1,
  kind ${text} NOT NULL, -- whose work it is: code, delivery, delete, mail
  name ${text} NOT NULL, -- of the job in twain.config.ts, the id of the webhook, or the type of the deleted row
  key ${text}, -- at most one job of a key waits for its first attempt
  lane ${text}, -- kind:name:…; jobs of a lane run one after another, in the order of their numbers
  payload ${text} NOT NULL, -- JSON
  by ${text}, -- who caused it, as in the change log
  state ${text} NOT NULL, -- waiting, running, done, failed or cancelled
  created ${text} NOT NULL,
  due ${text} NOT NULL, -- when the next attempt may begin
  delay ${whole}, -- how many milliseconds that was ahead when it was computed; null: somebody has set the time
  until ${text}, -- when it is given up; null: after a number of attempts
  started ${text}, -- when the first attempt began
  finished ${text},
  tries ${whole} NOT NULL DEFAULT 0, -- attempts that began
  attempts ${text} NOT NULL DEFAULT '[]', -- a JSON list of the last ones that ended
  holder ${text}, -- the node that runs it, and the end of its lease
  held ${text},
  taken_from ${text} -- the node whose lease ended before the running attempt
)${kind};
CREATE INDEX IF NOT EXISTS twain_job_waiting ON twain_job (kind, name, due, _n) WHERE state = 'waiting';
CREATE INDEX IF NOT EXISTS twain_job_held ON twain_job (kind, name, held) WHERE state = 'running';
CREATE INDEX IF NOT EXISTS twain_job_in_lane ON twain_job (lane, _n) WHERE finished IS NULL;
CREATE INDEX IF NOT EXISTS twain_job_named ON twain_job ((${kindAndName}), _n);
CREATE INDEX IF NOT EXISTS twain_job_created ON twain_job (created, id) WHERE kind = 'code';
CREATE INDEX IF NOT EXISTS twain_job_of_code ON twain_job (name, created, id) WHERE kind = 'code';
CREATE INDEX IF NOT EXISTS twain_job_of_webhook ON twain_job (name, _n) WHERE kind = 'delivery';
CREATE INDEX IF NOT EXISTS twain_job_failed ON twain_job (kind, _n) WHERE state = 'failed';
CREATE INDEX IF NOT EXISTS twain_job_finished ON twain_job (kind, finished) WHERE finished IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS twain_job_key ON twain_job (kind, name, key) WHERE ${isCoalesced};
CREATE UNIQUE INDEX IF NOT EXISTS twain_job_one_of_lane ON twain_job (lane) WHERE state = 'running';
CREATE TABLE IF NOT EXISTS twain_schedule (
  name ${text} PRIMARY KEY,
  spec ${text} NOT NULL, -- what the ticks follow from, as the code says it
  tick ${text} NOT NULL, -- the next one
  job ${text} -- the id that the last tick gave its job
)${kind}`
}

/** What lists search by. An index of `kind` and `name` themselves would have all finished jobs, and a planner without statistics
 *  might claim by it. */
export const kindAndName = `kind || ':' || name`

/** The predicate of the unique index of keys: a job that was never tried. */
export const isCoalesced = `state = 'waiting' AND started IS NULL AND key IS NOT NULL`
