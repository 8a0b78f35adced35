import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { silent } from '../../store.fixture.ts'
import { makePreparedDatabase } from '../test-database.fixture.ts'
import { migrate } from './migrate.ts'

const sdl = 'type Post @allow { id: ID! }'

// Citus itself is not on the machines that run this. Its catalogue tables stand in for it, with the one column of each that Twain reads.
test('tables and schemas that Citus manages refuse the start', async (t) => {
  const { address, raw, drop } = await makePreparedDatabase()
  t.after(drop)
  const [role] = await raw.query('SELECT rolsuper AS "isSuper" FROM pg_roles WHERE rolname = current_user')
  if (role?.isSuper !== true) return t.skip('only a superuser may create the tables of Citus')
  const start = () => migrate(address, { model: loadModel(sdl, ''), sdl, allowBreaking: false, log: silent })
  const catalogue = (sql: string) =>
    raw.script(`SET allow_system_table_mods = on; ${sql}; RESET allow_system_table_mods`)
  await catalogue('CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass)')
  await catalogue('CREATE TABLE pg_catalog.pg_dist_schema (schemaid oid)')
  await raw.query('CREATE TABLE theirs (id text)')
  await catalogue(`INSERT INTO pg_dist_partition VALUES ('theirs')`)
  await start()
  await catalogue(`INSERT INTO pg_dist_partition VALUES ('twain_node'), ('"Post"')`)
  await assert.rejects(start(), {
    name: 'StartRefused',
    message:
      /^Citus manages the tables Post, twain_node in postgres:.* can crash the coordinator\..*undistribute_table/,
  })
  await catalogue('DELETE FROM pg_dist_partition; INSERT INTO pg_dist_schema SELECT current_schema()::regnamespace')
  await assert.rejects(start(), { name: 'StartRefused', message: /^Citus manages the schema in postgres:/ })
})
