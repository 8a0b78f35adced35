import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { openStore } from '#store'
import { command } from '../command.fixture.ts'

const sdl = `type User @account @allow(to: [READ]) @allow(who: "self") {
  id: ID!
  email: String! @unique
}
type Post @allow(who: "author") @allow(role: "editor", to: [READ]) {
  id: ID!
  author: User!
}
`

test('a valid file exits with 0, a file with mistakes with 2', async (t) => {
  const fine = await check(t, sdl)
  assert.equal(fine.code, 0)
  assert.match(fine.out, /schema\.graphql is fine: 2 resources\.\n$/)
  const wrong = await check(t, 'type Post { id: ID! title: Strin }')
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /Strin/)
  assert.equal(wrong.out, '')
})

test('twain.config.ts is checked as twain dev does: settings, and the place of a syntax error', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-check-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'schema.graphql')
  writeFileSync(file, sdl)
  const mistakesOf = async (config: string) => {
    writeFileSync(join(folder, 'twain.config.ts'), config)
    const { code, err } = await command('check', file)
    return { code, err }
  }
  const unknown = await mistakesOf('export default { extra: 1, limits: { dept: 3 } }')
  assert.equal(unknown.code, 2)
  assert.match(unknown.err, /sets extra, which is not a setting[\s\S]*Did you mean "limits.depth"/)
  const broken = await mistakesOf('export default {\n  before: {{ }\n}')
  assert.equal(broken.code, 2)
  assert.match(broken.err, /twain\.config\.ts:2:12 can't be loaded/)
})

test('a valid file with guessable unique fields gets a warning', async (t) => {
  const { code, out } = await check(t, 'type A @allow { id: ID! b: Int @unique @allow(role: "x", to: [READ]) }')
  assert.equal(code, 0)
  assert.match(out, /is fine: 1 resource\.\nUnique fields reveal taken values .*: A\.b \(nobody, operator\)\n$/)
})

test('a role that no account can have gets a warning, for people, for programs and for GitHub', async (t) => {
  const role = `type User @account @allow(role: "STAF") { id: ID! email: String! @unique roles: [Role!] } enum Role { STAFF }`
  const line = /:1 No account can have the role "STAF": Role has no such value\. Did you mean "STAFF"\?\n/
  const annotation =
    '::warning file=schema.graphql,line=1,col=20,title=warning::No account can have the role "STAF": Role has no such value. Did you mean "STAFF"?'
  for (const against of [[], previous(t, role)]) {
    const people = await check(t, role, ...against)
    assert.equal(people.code, 0)
    assert.match(people.out, line)
    const { verdict, warnings } = JSON.parse((await check(t, role, ...against, '--json')).out)
    assert.match(verdict, /fine|same/)
    assert.deepEqual(warnings, [
      {
        ...{ file: 'schema.graphql', line: 1, column: 20 },
        message: 'No account can have the role "STAF": Role has no such value.',
        hint: 'Did you mean "STAFF"?',
      },
    ])
    const github = await check(t, role, ...against, '--github')
    assert.deepEqual([github.code, github.out.match(/^::.*$/gm)], [0, [annotation]])
  }
})

test('a guessable field is a warning at its place for programs', async (t) => {
  const { out } = await check(t, 'type A @allow { id: ID! b: Int @unique @allow(role: "x", to: [READ]) }', '--json')
  const [warning] = JSON.parse(out).warnings
  assert.deepEqual([warning.line, warning.column], [1, 25])
  assert.match(warning.message, /^A\.b is unique: a 409 reveals taken values .* \(nobody, operator\)\.$/)
})

test('a required field that nobody may set who may create the row is a mistake', async (t) => {
  const sealed = 'type Post @allow {\n  id: ID!\n  rank: Int! @allow(role: "admin")\n}'
  const people = await check(t, sealed)
  assert.deepEqual([people.code, people.out], [2, ''])
  assert.match(
    people.err,
    /schema\.graphql:3:3 Post\.rank is required, but nobody who may create rows of Post may set it/,
  )
  const { verdict, mistakes } = JSON.parse((await check(t, sealed, '--json')).out)
  assert.deepEqual([verdict, mistakes[0].line, mistakes[0].column], ['mistaken', 3, 3])
  const github = await check(t, sealed, ...previous(t, sealed), '--github')
  assert.match(github.out, /^::error file=schema\.graphql,line=3,col=3,title=mistake::Post\.rank is required/)
  const open = await check(t, sealed.replace(' @allow(role: "admin")', ''), ...previous(t, sealed))
  assert.equal(open.code, 0, 'an older schema that has it can still be compared with')
})

test('--access prints who may do what and by which rule', async (t) => {
  const { code, out } = await check(t, sdl, '--access')
  assert.equal(code, 0)
  assert.equal(
    out,
    `User  schema.graphql:1
  READ
    everyone               always        schema.graphql:1
  CREATE UPDATE DELETE
    nobody, operator       never
    signedIn, role:editor  where self    schema.graphql:1

Post  schema.graphql:5
  READ
    nobody, operator       never
    signedIn               where author  schema.graphql:5
    role:editor            always        schema.graphql:5
  CREATE UPDATE DELETE
    nobody, operator       never
    signedIn, role:editor  where author  schema.graphql:5
`,
  )
})

test('--system shows the types of the server itself too', async (t) => {
  const filed = sdl.replace('author: User!', 'author: User! scan: File')
  const { code, out } = await check(t, filed, '--access', '--system')
  const own = out
    .slice(out.indexOf('BackgroundJob'))
    .replaceAll(/ +$/gm, '')
    .replaceAll(/ {2,}(?=\S)/g, '  ')
  assert.equal(code, 0)
  assert.match(
    own,
    /^Token {2}built in\n {2}READ DELETE\n {2}nobody {2}never\n {2}signedIn, role:editor {2}where account {2}built in\n {2}where actor {2}built in\n {2}operator {2}always {2}built in\n/m,
  )
  assert.match(
    own,
    /^BackgroundJob {2}built in\n {2}READ UPDATE\n {2}nobody, signedIn, role:editor {2}never\n {2}operator {2}always/m,
  )
  assert.match(own, /^File {2}built in\n {2}READ\n {2}\S.*as the rows that refer to it; the uploader too/m)
  assert.doesNotMatch((await check(t, filed, '--access')).out, /built in|BackgroundJob/)
  const open = await check(t, 'type Post { id: ID! }', '--access', '--system')
  assert.match(open.out, /ApiKey {2}built in\n {2}READ CREATE DELETE\n {4}nobody {4}never/)
  assert.match((await check(t, sdl, '--system')).err, /--system needs --access/)
})

test('--as shows the access of one viewer', async (t) => {
  const { out } = await check(t, sdl, '--access', '--as', 'role:editor')
  assert.match(out, /Post .*\n {2}READ\n {4}role:editor {2}always/)
  assert.doesNotMatch(out, /nobody/)
  assert.match((await check(t, sdl, '--access', '--as', 'role:editor,admin')).out, /role:editor,admin/)
})

test('--access has a column for viewers whose address is proven, if a rule asks for it', async (t) => {
  const users = 'type User @account @allow(to: [CREATE]) { id: ID! email: String! @unique }'
  const posts = 'type Post @allow(to: [READ]) @allow(who: "signedIn", verified: true, to: [CREATE]) { id: ID! }'
  assert.match((await check(t, `${users} ${posts}`, '--access')).out, /^ {4}verified +always/m)
  const one = (await check(t, `${users} ${posts}`, '--access', '--as', 'verified')).out
  assert.match(one, /CREATE\n +verified +always/)
  assert.doesNotMatch((await check(t, users, '--access')).out, /verified/)
})

test('--as claim:NAME=VALUE shows the access of a token with that claim', async (t) => {
  const claimed = `type Post @allow(where: {org: {eq: {claim: "org_id"}}}, to: [READ])
    @allow(where: {not: {size: {eq: {claim: "size"}}}}, to: [UPDATE]) { id: ID! org: String! size: Int! }`
  const whole = (await check(t, claimed, '--access')).out
  assert.match(whole, /READ\n.*nobody, claim:size, operator +never\n +claim:org_id +where org = the claim org_id/)
  const one = async (as: string) => (await check(t, claimed, '--access', '--as', as)).out
  assert.match(await one('claim:org_id=7'), /READ\n +claim:org_id=7 +where org = the claim org_id/)
  assert.match(await one('claim:size=7'), /UPDATE\n +claim:size=7 +where not \(size = the claim size\)/)
  assert.match(await one('claim:size=many'), /CREATE UPDATE DELETE\n +claim:size=many +never/)
  assert.match(await one('claim:size=[7]'), /UPDATE\n +claim:size=\[7\] +where/)
  assert.match(await one('role:admin,claim:size=7,org_id=x'), /READ\n +role:admin,claim:size=7,org_id=x +where/)
  const strange = await check(t, claimed, '--access', '--as', 'claim:org=7')
  assert.match(strange.err, /No rule names the claim "org"\./)
})

test('a viewer that the schema does not know is a usage error', async (t) => {
  const strange = await check(t, sdl, '--access', '--as', 'role:edtor')
  assert.equal(strange.code, 2)
  assert.match(strange.err, /No rule names the role "edtor"\. Did you mean "role:editor"\?/)
  assert.match(
    (await check(t, sdl, '--access', '--as', 'ann')).err,
    /--as must be one of nobody, signedIn, role:editor/,
  )
  assert.match((await check(t, sdl, '--as', 'nobody')).err, /--as needs --access/)
})

const posts = `type Post @allow { id: ID! title: String
  size: Int }
`

test('--against a file lists breaking changes, whom they affect, and how to avoid them', async (t) => {
  const { code, out } = await check(
    t,
    'type Post @allow { id: ID! title: String! new: Int e: E } enum E { X }',
    ...previous(t, posts),
  )
  assert.equal(code, 1)
  assert.equal(
    out.replace(/of \S+previous\.graphql/, 'of previous.graphql'),
    `breaking
  Post.title was optional and is required now (writers)
    Make it optional again.
  field Post.size was removed (clients)
    Put it back, and mark it as @deprecated before you remove it. If you renamed it, write @was(name: "size") on the new field.

additive
  field Post.new is new
  field Post.e is new
  enum E is new

schema.graphql breaks clients of previous.graphql: 2 breaking, 3 additive.
`,
  )
})

test('additive changes and no changes exit with 0', async (t) => {
  const more = await check(t, posts.replace('size', 'new: E size') + 'enum E { X }', ...previous(t, posts))
  assert.equal(more.code, 0)
  assert.match(more.out, /schema\.graphql breaks no client of \S+previous\.graphql: 2 additive\.\n$/)
  const warned = await check(t, `${posts} enum E { X Y }`, ...previous(t, `${posts} enum E { X }`))
  assert.equal(warned.code, 0)
  assert.match(warned.out, /warning\n {2}the value Y of E is new, and responses may contain it \(readers\)/)
  const same = await check(t, posts, ...previous(t, posts))
  assert.equal(same.code, 0)
  assert.match(same.out, /has no differences from/)
})

test('--json prints one document with differences and mistakes', async (t) => {
  const { code, out } = await check(t, posts.replace('size: Int', 'size: Int!'), ...previous(t, posts), '--json')
  assert.equal(code, 1)
  const { verdict, differences } = JSON.parse(out) as { verdict: string; differences: unknown[] }
  assert.equal(verdict, 'breaking')
  assert.deepEqual(differences, [
    {
      verdict: 'breaking',
      path: 'Post.size',
      message: 'Post.size was optional and is required now',
      affects: 'writers',
      instead: 'Make it optional again.',
      rows: 'filled',
      used: null,
      file: 'schema.graphql',
      line: 2,
      column: 3,
    },
  ])
  const wrong = await check(t, 'type Post { id: ID! title: Strin }', ...previous(t, posts), '--json')
  assert.equal(wrong.code, 2)
  const { mistakes } = JSON.parse(wrong.out) as { mistakes: { line: number }[] }
  assert.equal(mistakes[0]?.line, 1)
})

test('--github prints an annotation for each difference', async (t) => {
  const { code, out } = await check(
    t,
    posts.replace('size: Int', 'size: Int! b: Int'),
    ...previous(t, posts),
    '--github',
  )
  assert.equal(code, 1)
  assert.equal(
    out,
    `::error file=schema.graphql,line=2,col=3,title=breaking change::Post.size was optional and is required now. Make it optional again.
::notice file=schema.graphql,line=2,col=14,title=additive change::field Post.b is new.
`,
  )
  const wrong = await check(t, 'type Post { id: ID! title: Strin }', '--github')
  assert.equal(wrong.code, 2)
  assert.match(wrong.out, /^::error file=schema\.graphql,line=1,col=28,title=mistake::/)
})

test('--against git:REVISION reads the file of that revision, from any folder', async (t) => {
  const folder = emptyFolder(t)
  const file = join(folder, 'schema.graphql')
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.t', ...words], { cwd: folder, stdio: 'pipe' })
  git('init')
  writeFileSync(file, posts)
  git('add', '.')
  git('commit', '-m', 'one')
  writeFileSync(file, posts.replace('title: String', 'title: Int'))
  const { code, out } = await command('check', file, '--against', 'git:HEAD')
  assert.equal(code, 1)
  assert.match(out, /Post\.title was String and is Int now/)
  const strange = await command('check', file, '--against', 'git:--output=x')
  assert.equal(strange.code, 2)
  assert.match(strange.err, /git has no schema\.graphql at "--output=x"/)
})

test('a folder of files is checked as one schema, and each mistake has its file', async (t) => {
  const folder = schemaFolder(t, { 'a.graphql': 'type Tag { id: ID! }', 'sub/b.graphql': 'type Post {\n  id: ID!\n}' })
  const fine = await command('check', folder)
  assert.deepEqual([fine.code, fine.out], [0, `${folder} is fine: 2 resources.\n`])
  const access = await command('check', folder, '--access')
  assert.match(access.out, /^Post {2}\S+\/sub\/b\.graphql:1$/m)
  writeFileSync(join(folder, 'c.graphql'), '\nextend type Post { tag: Tga }')
  const wrong = await command('check', folder)
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /\/c\.graphql:2:25 There is no type Tga\.\n.*\n2 \| extend type Post/)
  const json = JSON.parse((await command('check', folder, '--json')).out) as {
    mistakes: { file: string; line: number }[]
  }
  assert.deepEqual(
    json.mistakes.map(({ file, line }) => [file, line]),
    [[join(folder, 'c.graphql'), 2]],
  )
  assert.match((await command('check', folder, '--github')).out, /^::error file=\S+\/c\.graphql,line=2,col=25,/)
})

test('--against compares folders, also with a revision and with the file that the folder was before', async (t) => {
  const root = emptyFolder(t)
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.t', ...words], { cwd: root, stdio: 'pipe' })
  git('init')
  writeFileSync(join(root, 'schema.graphql'), 'type Tag { id: ID! } type Post { id: ID! title: String }')
  git('add', '.')
  git('commit', '-m', 'one file')
  rmSync(join(root, 'schema.graphql'))
  const folder = join(root, 'schema')
  writeFiles(folder, {
    'tags.graphql': 'type Tag { id: ID! }',
    'posts/post.graphql': 'type Post { id: ID! title: String }',
  })
  const moved = await command('check', folder, '--against', 'git:HEAD:schema.graphql')
  assert.deepEqual([moved.code, moved.out], [0, `${folder} has no differences from git:HEAD:schema.graphql.\n`])
  git('add', '.')
  git('commit', '-m', 'folder')
  writeFiles(folder, { 'posts/post.graphql': '\ntype Post { id: ID! title: Int }' })
  const changed = await command('check', folder, '--against', 'git:HEAD', '--github')
  assert.equal(changed.code, 1)
  assert.match(
    changed.out,
    /^::error file=\S+\/schema\/posts\/post\.graphql,line=2,col=21,.*Post\.title was String and is Int now/,
  )
  const other = schemaFolder(t, { 'all.graphql': 'type Tag { id: ID! } type Post { id: ID! title: Int }' })
  assert.equal(
    (await command('check', folder, '--against', other)).out,
    `${folder} has no differences from ${other}.\n`,
  )
  const none = await command('check', folder, '--against', 'git:HEAD~1')
  assert.equal(none.code, 2)
  assert.match(none.err, /git has no schema at "HEAD~1"/)
})

test('--against a data folder compares with the schema that it last served', async (t) => {
  const data = emptyFolder(t)
  const file = join(data, 'schema.graphql')
  writeFileSync(file, posts)
  assert.match((await command('check', file, '--against', emptyFolder(t))).err, /it has no twain\.db/)
  const store = await openStore({ data, model: loadModel(posts, ''), sdl: posts, limits: defaultLimits, log: silent })
  writeFileSync(file, posts.replace('title: String', ''))
  const { code, out } = await command('check', file, '--against', data)
  await store.close()
  assert.equal(code, 1)
  assert.match(out, /field Post\.title was removed/)
})

test('an unreadable schema to compare with exits with 2 and a reason', async (t) => {
  const none = await check(t, posts, '--against', 'nowhere.graphql')
  assert.equal(none.code, 2)
  assert.match(none.err, /There is no file nowhere\.graphql/)
  assert.match((await check(t, posts, '--against', 'x', '--access')).err, /--access and --against cannot be combined/)
  assert.match((await check(t, posts, '--json', '--github')).err, /--json and --github cannot be combined/)
  const wrong = await check(t, posts, ...previous(t, 'type Post { id: ID! x: Strin }'))
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /previous\.graphql:1:24/)
})

const silent = { info() {}, warn() {}, error() {} }

function previous(t: TestContext, text: string): string[] {
  const file = join(emptyFolder(t), 'previous.graphql')
  writeFileSync(file, text)
  return ['--against', file]
}

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'twain-check-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

function schemaFolder(t: TestContext, files: Record<string, string>): string {
  const folder = join(emptyFolder(t), 'schema')
  writeFiles(folder, files)
  return folder
}

function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

async function check(t: TestContext, text: string, ...flags: string[]) {
  const folder = emptyFolder(t)
  const file = join(folder, 'schema.graphql')
  writeFileSync(file, text)
  const { code, out, err } = await command('check', file, ...flags)
  return { code, out: out.replaceAll(`${folder}/`, ''), err }
}
