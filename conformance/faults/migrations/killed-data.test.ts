// A data migration that is killed inside a portion: the next run changes each row that is left, and none twice.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Project } from '../../harness/migrating-project.ts'
import { runKilled } from '../../harness/run-killed.ts'

const rows = 20

/** The migration kills its own process at a row, when earlier rows of the same portion are changed. */
const migration = `export default {
  type: 'Post', portion: 3,
  change(row) {
    if (row.id === process.env.KILL_AT) process.kill(process.pid, 'SIGKILL')
    return { hits: (row.hits ?? 0) + 1 }
  },
}`

test('a data migration that is killed at some rows changes each row once', async (t) => {
  const project = await Project.make(t, 'type Post { id: ID! title: String! hits: Int }')
  await project.start()
  await project.makePosts(rows)
  await project.close()
  await project.write('migrations/001-hits.ts', migration)
  for (const id of ['p002', 'p009', 'p020']) assert.equal(await migrate(project, id), 'SIGKILL')
  assert.equal(await migrate(project, ''), 0)
  await project.start()
  assert.deepEqual(await project.values('hits'), Array(rows).fill(1))
  assert.equal((await project.entries(rows)).length, rows)
  assert.deepEqual(
    project.logged.filter((line) => line.includes('data migration')),
    [], // the start found nothing left
  )
})

function migrate(project: Project, killAt: string): Promise<number | string> {
  return runKilled(project, ['migrate', project.options().schemaFile], killAt)
}
