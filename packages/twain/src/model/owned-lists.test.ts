import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from './load-model.ts'
import { isOwned, ownedInput } from './owned-lists.ts'

test('a list is owned when its rows must refer back, and are no accounts', () => {
  const { resources } = loadModel(
    `
    interface Topic { id: ID! remarks: [Remark!]! }
    type Team { id: ID! members: [User!]! tasks: [Task!]! notes: [Note!]! tags: [Tag!]! }
    type User @account { id: ID! email: String! @unique team: Team! notes: [Note!]! }
    type Task implements Topic { id: ID! team: Team! remarks: [Remark!]! }
    type Note { id: ID! team: Team by: User! @auto(set: VIEWER) }
    type Tag { id: ID! teams: [Team!]! }
    type Remark { id: ID! on: Topic! }
    `,
    'x.graphql',
  )
  const owned = resources.flatMap(({ fields }) => [...fields.values()].filter(isOwned).map(ownedInput))
  assert.deepEqual(owned, ['CreateTeamTasksInput', 'CreateTaskRemarksInput'])
})
