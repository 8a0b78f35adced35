// What rules cost: the nested list by someone who is signed in, with a rule on each of its levels, beside the same list
// without any. Who asks is looked at too, since with rules it must be.

import { join } from 'node:path'
import { users } from './data.ts'
import { MeasuredProcess } from './measured-process.ts'
import { cases } from './questions.ts'
import { expectSameAnswers, measureCase, type ReadResult, type Server } from './reads.ts'
import { fillTwain, noneKept, startTwain } from './twain-process.ts'

const schemaFile = join(import.meta.dirname, 'ruled.graphql')
const password = 'bench password'
const target = 1.25

export async function measureRules(data: string, plain: Server): Promise<ReadResult> {
  const [first] = users
  await fillTwain(data, schemaFile, (row) => (row.id === first!.id ? { ...row, password } : row))
  const started = await startTwain(data, schemaFile, noneKept)
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
