// The cost of rules: the nested list for a signed-in viewer with a rule on each level, compared with the same list without
// rules. It includes the authentication, since rules need it.

import { join } from 'node:path'
import { cases } from './cases.ts'
import { users } from './data.ts'
import { MeasuredProcess } from './measured-process.ts'
import { expectSameAnswers, measureCase, type ReadResult, type Server } from './reads.ts'
import { fillTwain, startTwain, withoutResultCache } from './twain-process.ts'

const schemaFile = join(import.meta.dirname, 'ruled.graphql')
const password = 'bench password'
const target = 1.25

export async function measureRules(data: string, plain: Server): Promise<ReadResult> {
  const [first] = users
  await fillTwain(data, schemaFile, (row) => (row.id === first!.id ? { ...row, password } : row))
  const started = await startTwain(data, schemaFile, withoutResultCache)
  const ruled = { ...started, authorization: await signIn(started.port, first!.email) }
  const load = new MeasuredProcess(join(import.meta.dirname, 'load.ts'), [])
  const nested = { ...cases[0]!, name: 'The same with rules on every level', target }
  await expectSameAnswers(nested, ruled, plain)
  const result = await measureCase(nested, load, ruled, plain)
  await Promise.all([load.stop(), started.process.stop()])
  return result
}

async function signIn(port: number, email: string): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const { token } = (await reply.json()) as { token: string }
  return `Bearer ${token}`
}
