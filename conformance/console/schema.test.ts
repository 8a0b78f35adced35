// The console shows the schema to administrators: as a picture, as a list, as its file with the present mistakes, and what a changed
// file would change.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, afterEach, before, describe, test } from 'node:test'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, expectAccessible } from './open-console.ts'

const sdl = `extend schema @service(name: "Press")
type User @account @allow(to: [READ, CREATE]) @allow(role: "admin") {
  id: ID!
  email: String! @unique
  name: String! @label
}
"""
<script>document.title = 'broken'</script>
"""
type Post
  @allow(to: [READ], where: {status: {eq: PUBLISHED}})
  @allow(role: "admin")
{
  id: ID!
  title: String! @search
  "<img src=x onerror=alert(1)>"
  slug: String
  author: User! @auto(set: VIEWER)
  tags: [Tag!]!
  status: Status!
}
type Tag @allow(role: "admin") { id: ID! name: String! posts: [Post!]! }
type Draft @allow(role: "admin") { id: ID! of: Post }
enum Status { DRAFT @next(to: [PUBLISHED], role: "editor") PUBLISHED @next(to: [DRAFT]) }
`

const manyTypes = Array.from(
  { length: 60 },
  (_, index) => `type Part${index} { id: ID! name: String next: Part${(index + 1) % 60} }`,
).join('\n')

describe('schema', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  before(async () => {
    stories = await ConsoleStories.open(sdl, { isWatched: true, code: 'export default { after: { Post() {} } }' })
    await stories.service.signUp('ann')
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  test('the picture has types, their references, and leads to the neighbours of one', async () => {
    const page = await stories.asDeveloper('/+events')
    await page.getByRole('link', { name: 'Schema' }).click()
    const picture = page.getByRole('group', { name: 'Picture of 4 types' })
    await picture.waitFor()
    await picture.getByText('author: User!').waitFor()
    assert.equal(await picture.locator('.arrow').count(), 3) // author, tags with posts, of
    await expectAccessible(page, 'the picture')
    await picture.getByRole('link', { name: 'Tag' }).press('Enter')
    await page.getByRole('group', { name: 'Picture of 2 types' }).waitFor()
    await page.getByLabel('Neighbours').selectOption('2 steps away')
    await page.getByRole('group', { name: 'Picture of 4 types' }).waitFor()
    const details = page.getByRole('region', { name: 'Tag', exact: true })
    await details.getByRole('link', { name: 'Rows' }).click()
    await page.waitForURL('**/console/tags')
  })

  test('the keyboard and the buttons move and zoom the picture', async () => {
    const page = await stories.asDeveloper('/schema')
    const picture = page.getByRole('group', { name: /^Picture of/ })
    await picture.focus()
    const box = async () => (await picture.getAttribute('viewBox'))!.split(' ').map(Number)
    /** Waits until the picture shows another part. */
    const change = async (act: () => Promise<void>) => {
      const before = await picture.getAttribute('viewBox')
      await act()
      await page.locator(`svg:not([viewBox="${before}"])`).waitFor()
      return box()
    }
    const [x, y, width] = await box()
    assert.ok((await change(() => picture.press('ArrowRight')))[0]! > x!)
    assert.ok((await change(() => picture.press('+')))[2]! < width!)
    assert.deepEqual((await change(() => page.getByRole('button', { name: 'Show all' }).click())).slice(0, 3), [
      x,
      y,
      width,
    ])
    const { x: left, y: top } = (await picture.boundingBox())!
    const dragged = await change(async () => {
      await page.mouse.move(left + 20, top + 20)
      await page.mouse.down()
      await page.mouse.move(left + 80, top + 60, { steps: 3 })
      await page.mouse.up()
    })
    assert.ok(dragged[0]! < x!)
    assert.equal(await page.evaluate("document.querySelectorAll('[style]').length"), 0)
  })

  test('the list has rules, uses, dependencies and states with who may change them', async () => {
    const { service, admin } = stories
    await service.succeed('GET', '/posts?fields=title', undefined, { ...admin, 'x-client-name': 'web' })
    const hook = { url: 'https://example.org/hook', events: ['post.*'], active: false }
    const where = { or: [{ slug: { eq: 'knots' } }, { author: { name: { eq: 'Ann' } } }] }
    const webhook = await service.succeed('POST', '/webhooks', { ...hook, where }, admin)
    const page = await stories.asDeveloper('/+schema/list')
    await page.getByLabel('Find a type or field').fill('slug')
    await page.getByRole('status').getByText('1 type', { exact: true }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Post', exact: true }).click()
    const post = page.getByRole('region', { name: 'Post', exact: true })
    await post.getByText('@allow(to: [READ]) where status = PUBLISHED').first().waitFor()
    await post.getByText('Custom code gets each field of its rows: after').waitFor()
    await post
      .getByRole('row', { name: /^title/ })
      .getByText(/^web requested it on \d{4}-[-\d]+ \(REST\)$/)
      .waitFor()
    await post
      .getByRole('row', { name: /^title/ })
      .getByText(/^word search of Post/)
      .waitFor()
    await post
      .getByRole('row', { name: /^slug/ })
      .getByText(/^Nobody since/)
      .waitFor()
    const filter = post.getByRole('row', { name: /^slug/ }).getByRole('link', { name: hook.url })
    assert.equal(await filter.getAttribute('href'), `/console/webhooks/${webhook.id}`)
    assert.equal(
      await post
        .getByRole('row', { name: /^title/ })
        .getByRole('link', { name: hook.url })
        .count(),
      0,
    )
    const states = post.getByRole('region', { name: 'States of Post.status', exact: true })
    await states.getByRole('row', { name: 'DRAFT (start) PUBLISHED role editor' }).waitFor()
    await states.getByRole('row', { name: 'PUBLISHED DRAFT whoever may update the row' }).waitFor()
    await states.getByRole('group', { name: 'Picture of 2 states' }).getByText('role editor').waitFor()
    await expectAccessible(page, 'the list')
    await page.setViewportSize({ width: 360, height: 640 })
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    await states
      .getByRole('link', { name: /schema\.graphql:24$/ })
      .first()
      .click()
    await page.locator('#line-24.chosen').waitFor()
  })

  test('the file is shown with its mistakes, as it changes', async () => {
    const page = await stories.asDeveloper('/+schema/file')
    await page.getByText('The file has no mistakes, and is served.').waitFor()
    const { schemaFile, service } = stories.service
    await writeFile(schemaFile, sdl.replace('slug: String', 'slug: Strin'))
    await service.reload()
    await page.getByText('The file as it is now is not served. 1 mistake').waitFor()
    await page.locator('#line-17.wrong .mistake').waitFor()
    assert.match(await page.locator('#line-17').innerText(), /slug: Strin/)
    await expectAccessible(page, 'the file')
    await writeFile(schemaFile, sdl)
    await service.reload()
    await page.getByText('The file has no mistakes, and is served.').waitFor()
  })

  test('a pasted file shows what it would break, for whom, and what to do', async () => {
    const page = await stories.asDeveloper('/+schema/changes')
    const text = page.getByLabel('Changed text')
    await page.getByRole('button', { name: 'Begin with the served text' }).click()
    assert.equal(await text.inputValue(), sdl)
    await text.fill(sdl.replace('  slug: String\n', '  more: Int\n'))
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('It breaks clients. twain start would refuse it.').waitFor()
    const breaking = page.getByRole('region', { name: 'Breaking' })
    await breaking.getByText('field Post.slug was removed').waitFor()
    await breaking.getByText('The values of existing rows are no longer served.').waitFor()
    await page.getByRole('region', { name: 'Additive' }).getByText('field Post.more is new').waitFor()
    await page.getByRole('button', { name: 'Requests' }).click()
    await page.getByRole('button', { name: 'GraphQL', exact: true }).click()
    const twin = await page.getByLabel('The request', { exact: true }).inputValue()
    const [query, variables] = twin.split('\n\n# Variables\n')
    const sent = { query, variables: JSON.parse(variables!) }
    const { data } = await stories.service.succeed('POST', '/graphql', sent, stories.admin)
    assert.equal(data.schemaChanges.verdict, 'breaking')
    await page.getByRole('button', { name: 'Requests' }).click()
    await expectAccessible(page, 'the change report')
    await text.fill('type A {')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('The text has mistakes.').waitFor()
    await page.getByText(/^Line 1/).waitFor()
  })

  test('somebody without the role admin gets neither picture nor names', async () => {
    const page = await stories.asAccount('ann', '/+schema')
    await page.getByText('The schema file needs the role admin.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Schema' }).count(), 0)
    assert.equal(await page.locator('svg').count(), 0)
    const shown = await page.locator('body').innerText()
    for (const name of ['Tag', 'Draft', 'slug', 'editor', '@allow']) assert.doesNotMatch(shown, new RegExp(name))
    const guest = await stories.tab('/+schema/file')
    await guest.getByRole('button', { name: 'Continue without signing in' }).click()
    await guest.getByRole('alert').waitFor()
    assert.equal(await guest.locator('svg, .file-text').count(), 0)
  })

  test('markup in a description is text', async () => {
    const page = await stories.asDeveloper('/+schema/list?type=Post')
    await page.getByText("<script>document.title = 'broken'</script>").waitFor()
    await page.getByText('<img src=x onerror=alert(1)>').waitFor()
    assert.notEqual(await page.title(), 'broken')
    assert.equal(await page.locator('main img, main script').count(), 0)
  })

  test('of many types one is chosen, and shown with its neighbours', async () => {
    const many = await ConsoleStories.open(manyTypes)
    try {
      const page = await many.tab('/+schema')
      await page.getByRole('button', { name: 'Continue without signing in' }).click()
      await page.getByText('60 types are too many for one picture.').waitFor()
      await page.getByRole('main').getByRole('link', { name: 'Part7', exact: true }).click()
      await page.getByRole('group', { name: 'Picture of 3 types' }).waitFor()
      await page.getByText('The picture shows 3 of 60 types.').waitFor()
      assert.deepEqual(many.violations, [])
    } finally {
      await many.close()
    }
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
