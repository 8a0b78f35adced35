import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Viewer } from '#base/http'
import { loadModel } from '#model'
import { viewerClassOf } from '../authorize/viewer-class.ts'
import { ViewerRules } from '../authorize/viewer-rules.ts'
import { explainAccess } from './explain-access.ts'
import { RowJudge } from './row-judge.ts'

const fields = Array.from(
  { length: 50 },
  (_, at) => `f${at}: String @allow(who: "author") @allow(role: "admin", where: {open: {eq: true}})`,
)
const model = loadModel(
  `type User @account @allow(role: "admin") { id: ID! email: String! @unique role: String }
  type Post @allow(who: "author") @allow(role: "admin") { id: ID! author: User! open: Boolean! ${fields.join(' ')} }`,
  'a.graphql',
)
const post = model.resources.find(({ name }) => name === 'Post')!
const viewer = (account: string | null, roles: string[]): Viewer => ({
  account,
  roles,
  authenticated: true,
  token: null,
})
const rulesOf = (one: Viewer) => new ViewerRules(model, viewerClassOf(one, model))

test('each condition is judged once, however many fields and rules share it', async () => {
  const judged: string[] = []
  const asker = viewer(null, ['admin'])
  const subject = viewer('ann', ['admin'])
  const judge = new RowJudge({
    of: post,
    asker: rulesOf(asker),
    isOwn: false,
    async run({ kind }, judgedFor) {
      judged.push(`${judgedFor} ${kind}`)
      return true
    },
  })
  const answers = await explainAccess({ of: post, model, viewer: subject, rules: rulesOf(subject), judge })
  assert.equal(answers.length, 3 + 2 * 52)
  assert.deepEqual(judged.sort(), [
    'asker compare', // a field: open
    'subject compare', // its rule for the role admin
    'subject or', // the rules of a field
    'subject through', // the author
  ])
})
