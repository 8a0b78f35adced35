import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestService } from 'twain/test'

const service = await startTestService({ schema: 'schema.graphql' })
after(() => service.close())

test('the words of a note are counted', async () => {
  const ann = await service.as('ann')
  const { body: note } = await ann.post('/notes', { text: 'Hello out there' })
  const { body } = await ann.graphql('query ($id: ID!) { note(id: $id) { words } }', { id: note.id })
  assert.deepEqual(body, { data: { note: { words: 3 } } })
})
