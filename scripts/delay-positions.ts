// Delays the change feed of every database of a test server, to find tests that read `/changes`, a stream or a delivery once
// instead of waiting for it. On PostgreSQL a change has no position until the sequencer's next batch
// (`packages/twain/src/store/postgres/changes/sequencer.ts`). Usually that takes milliseconds, on a busy machine seconds. Here
// every batch sleeps before it commits: an event trigger gives each new table `twain_log` a trigger that does so.

import { execFileSync, type SpawnOptions } from 'node:child_process'

/** Databases that `initdb` makes: test schemas are in the first one, and every later database is a copy of the second. */
const initialDatabases = ['postgres', 'template1']

/** Before the first start of the server with these data. */
export function delayPositions(postgres: string, data: string, delayMs: number, account: SpawnOptions): void {
  const lines = delayStatements(delayMs).map((statement) => statement.replace(/\s+/g, ' ')) // a line is a statement
  for (const database of initialDatabases) {
    execFileSync(postgres, ['--single', '-c', 'log_checkpoints=off', '-D', data, database], {
      ...(account as { uid?: number; gid?: number }),
      cwd: data,
      input: `${lines.join('\n')}\n`,
      stdio: ['pipe', 'ignore', 'inherit'],
    })
  }
}

/** In one database, before it has Twain's tables. */
export const delayStatements = (delayMs: number) => [
  'CREATE SCHEMA IF NOT EXISTS test_delay',
  `CREATE OR REPLACE FUNCTION test_delay.wait() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN PERFORM pg_sleep(${delayMs / 1000}); RETURN NEW; END $$`,
  `CREATE OR REPLACE FUNCTION test_delay.slow_down() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
     DECLARE made record;
     BEGIN
       FOR made IN SELECT objid::regclass AS name FROM pg_event_trigger_ddl_commands()
         WHERE object_type = 'table' AND object_identity LIKE '%.twain_log' LOOP
         EXECUTE format('CREATE OR REPLACE TRIGGER test_delay BEFORE UPDATE OF last ON %s
           FOR EACH ROW EXECUTE FUNCTION test_delay.wait()', made.name);
       END LOOP;
     END $$`,
  'DROP EVENT TRIGGER IF EXISTS test_delay',
  `CREATE EVENT TRIGGER test_delay ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION test_delay.slow_down()`,
]
