// A change of every directive and of each of its arguments, with its verdict. docs/operations/upgrade.md shows this table.

/** The gravest of the differences; `none` if there is none. */
export type Verdict = 'breaking' | 'warning' | 'additive' | 'none'

export interface DirectiveChange {
  /** `@cost`, `@cost(weight)`. */
  place: string
  change: string
  verdict: Verdict
  before: string
  after: string
}

const change = (place: string, what: string, verdict: Verdict, before: string, after: string): DirectiveChange => ({
  place,
  change: what,
  verdict,
  before,
  after,
})

/** A field `x` of a resource, before and after. */
const field = (place: string, what: string, verdict: Verdict, type: string, before: string, after: string) =>
  change(
    place,
    what,
    verdict,
    `type A { id: ID! y: Int x: ${type} ${before} }`,
    `type A { id: ID! y: Int x: ${type} ${after} }`,
  )

const account = 'type U @account { id: ID! email: String! @unique }'

/** The rules of a resource beside an account type. */
const rules = (place: string, what: string, verdict: Verdict, before: string, after: string) =>
  change(
    place,
    what,
    verdict,
    `type A ${before} { id: ID! x: Int u: U } ${account}`,
    `type A ${after} { id: ID! x: Int u: U } ${account}`,
  )

/** A view, before and after. */
const view = (place: string, what: string, verdict: Verdict, before: string, after: string) =>
  change(
    place,
    what,
    verdict,
    `type A { id: ID! } type W @view(${before}) { x: Int! y: Int! }`,
    `type A { id: ID! } type W @view(${after}) { x: Int! y: Int! }`,
  )

/** The rules of a custom operation beside an account type. */
const callRules = (place: string, what: string, verdict: Verdict, before: string, after: string) =>
  change(
    place,
    what,
    verdict,
    `${account} type Query { x: Int ${before} }`,
    `${account} type Query { x: Int ${after} }`,
  )

/** A state machine beside an account type. */
const next = (place: string, what: string, verdict: Verdict, before: string, after: string) => {
  const schema = (x: string) =>
    `type A @allow { id: ID! n: Int e: E @default(value: X) } enum E { X ${x} Y Z } ${account}`
  return change(place, what, verdict, schema(before), schema(after))
}

const related = (inverse: string) =>
  `type A { id: ID! b: B c: B } type B { id: ID! as: [A!]! @relation(inverse: "${inverse}") }`

/** A number of `@constraint`, on a field of this type. */
const bound = (argument: string, type: string, narrow: number, wide: number) => [
  field(`@constraint(${argument})`, 'narrower', 'breaking', type, set(argument, wide), set(argument, narrow)),
  field(`@constraint(${argument})`, 'wider, or removed', 'additive', type, set(argument, narrow), set(argument, wide)),
]

function set(argument: string, value: number): string {
  return `@constraint(${argument}: ${value})`
}

export const directiveChanges: readonly DirectiveChange[] = [
  change(
    '@service(name)',
    'changed',
    'none',
    'schema @service(name: "a") { query: Query } type A { id: ID! }',
    'schema @service(name: "b") { query: Query } type A { id: ID! }',
  ),
  change(
    '@service(description)',
    'changed',
    'none',
    'schema @service(description: "a") { query: Query } type A { id: ID! }',
    'schema @service(description: "b") { query: Query } type A { id: ID! }',
  ),
  change(
    '@resource(path)',
    'changed',
    'breaking',
    'type A @resource(path: "old") { id: ID! }',
    'type A @resource(path: "new") { id: ID! }',
  ),
  change(
    '@resource(was)',
    'added with the previous path',
    'additive',
    'type A @resource(path: "old") { id: ID! }',
    'type A @resource(path: "new", was: ["old"]) { id: ID! }',
  ),
  change(
    '@resource(was)',
    'removed',
    'breaking',
    'type A @resource(path: "new", was: ["old"]) { id: ID! }',
    'type A @resource(path: "new") { id: ID! }',
  ),
  view('@view(sqlite)', 'changed', 'none', 'sqlite: "SELECT 1", key: ["x"]', 'sqlite: "SELECT 2", key: ["x"]'),
  view('@view(postgres)', 'changed', 'none', 'postgres: "SELECT 1", key: ["x"]', 'postgres: "SELECT 2", key: ["x"]'),
  view('@view(key)', 'changed', 'breaking', 'sqlite: "SELECT 1", key: ["x"]', 'sqlite: "SELECT 1", key: ["y"]'),
  change(
    '@view',
    'added to a type',
    'breaking',
    'type A { id: ID! } type W { id: ID! x: Int! }',
    'type A { id: ID! } type W @view(sqlite: "SELECT 1", key: ["x"]) { id: ID! x: Int! }',
  ),
  change(
    '@account',
    'added to a type',
    'breaking',
    'type U @allow { id: ID! email: String! @unique }',
    'type U @account @allow { id: ID! email: String! @unique }',
  ),
  change(
    '@account',
    'removed',
    'breaking',
    'type U @account @allow { id: ID! email: String! @unique }',
    'type U @allow { id: ID! email: String! @unique }',
  ),
  change(
    '@account(login)',
    'changed',
    'breaking',
    'type U @account { id: ID! email: String! @unique n: String! @unique }',
    'type U @account(login: "n") { id: ID! email: String! @unique n: String! @unique }',
  ),
  change(
    '@account(roles)',
    'changed',
    'breaking',
    'type U @account(roles: "r") { id: ID! email: String! @unique r: String s: String }',
    'type U @account(roles: "s") { id: ID! email: String! @unique r: String s: String }',
  ),
  change(
    '@account(verification)',
    'OPTIONAL, after OFF',
    'additive',
    'type U @account(verification: OFF) { id: ID! email: String! @unique }',
    'type U @account { id: ID! email: String! @unique }',
  ),
  change(
    '@account(verification)',
    'OFF, after OPTIONAL',
    'breaking',
    'type U @account { id: ID! email: String! @unique }',
    'type U @account(verification: OFF) { id: ID! email: String! @unique }',
  ),
  change(
    '@account(verification)',
    'REQUIRED, or REQUIRED before',
    'breaking',
    'type U @account { id: ID! email: String! @unique }',
    'type U @account(verification: REQUIRED) { id: ID! email: String! @unique }',
  ),
  rules('@allow', 'added', 'additive', '@allow(to: [READ])', '@allow(to: [READ]) @allow(who: "u")'),
  rules('@allow', 'removed', 'breaking', '@allow(to: [READ]) @allow(who: "u")', '@allow(to: [READ])'),
  rules('@allow(who)', 'fewer viewers', 'breaking', '@allow(who: "signedIn")', '@allow(who: "u")'),
  rules('@allow(who)', 'more viewers', 'additive', '@allow(who: "signedIn")', '@allow(who: "anyone")'),
  rules('@allow(role)', 'added or changed', 'breaking', '@allow(role: "a")', '@allow(role: "b")'),
  rules('@allow(role)', 'removed', 'additive', '@allow(role: "a")', '@allow'),
  change(
    '@allow(verified)',
    'added',
    'breaking',
    'type U @account @allow { id: ID! email: String! @unique }',
    'type U @account @allow(verified: true) { id: ID! email: String! @unique }',
  ),
  change(
    '@allow(verified)',
    'removed',
    'additive',
    'type U @account @allow(verified: true) { id: ID! email: String! @unique }',
    'type U @account @allow { id: ID! email: String! @unique }',
  ),
  rules('@allow(to)', 'fewer actions', 'breaking', '@allow(to: [READ, CREATE])', '@allow(to: [READ])'),
  rules('@allow(to)', 'more actions', 'additive', '@allow(to: [READ])', '@allow(to: [READ, CREATE])'),
  rules('@allow(where)', 'added or changed', 'breaking', '@allow(where: {x: {eq: 1}})', '@allow(where: {x: {eq: 2}})'),
  rules(
    '@allow(fields)',
    'added, or fewer fields',
    'breaking',
    '@allow(to: [UPDATE])',
    '@allow(to: [UPDATE], fields: ["x"])',
  ),
  rules(
    '@allow(fields)',
    'removed, or more fields',
    'additive',
    '@allow(to: [READ], fields: ["x"])',
    '@allow(to: [READ], fields: ["x", "u"])',
  ),
  callRules('@allow', 'on a custom operation: added', 'additive', '', '@allow(role: "admin") @allow(role: "a")'),
  callRules(
    '@allow',
    'on a custom operation: removed',
    'breaking',
    '@allow(role: "a") @allow(role: "b")',
    '@allow(role: "a")',
  ),
  callRules('@allow(who)', 'on a custom operation: fewer viewers', 'breaking', '@allow', '@allow(who: "signedIn")'),
  callRules('@allow(who)', 'on a custom operation: more viewers', 'additive', '@allow(who: "signedIn")', '@allow'),
  callRules(
    '@allow(role)',
    'on a custom operation: added or changed',
    'breaking',
    '@allow(role: "a")',
    '@allow(role: "b")',
  ),
  callRules('@allow(role)', 'on a custom operation: removed', 'additive', '@allow(role: "a")', '@allow'),
  rules('@allow(where)', 'removed', 'additive', '@allow(where: {x: {eq: 1}})', '@allow'),
  change('@softDelete(keep)', 'added', 'additive', 'type A { id: ID! }', 'type A @softDelete { id: ID! }'),
  change('@softDelete(keep)', 'removed', 'breaking', 'type A @softDelete { id: ID! }', 'type A { id: ID! }'),
  change(
    '@softDelete(keep)',
    'longer',
    'additive',
    'type A @softDelete(keep: "1d") { id: ID! }',
    'type A @softDelete(keep: "2d") { id: ID! }',
  ),
  change(
    '@softDelete(keep)',
    'shorter',
    'warning',
    'type A @softDelete(keep: "2d") { id: ID! }',
    'type A @softDelete(keep: "1d") { id: ID! }',
  ),
  change('@history(keep)', 'added', 'additive', 'type A { id: ID! }', 'type A @history { id: ID! }'),
  change('@history(keep)', 'removed', 'warning', 'type A @history { id: ID! }', 'type A { id: ID! }'),
  change(
    '@history(keep)',
    'longer',
    'additive',
    'type A @history(keep: "1y") { id: ID! }',
    'type A @history(keep: "2y") { id: ID! }',
  ),
  change(
    '@history(keep)',
    'shorter',
    'warning',
    'type A @history(keep: "2y") { id: ID! }',
    'type A @history(keep: "1y") { id: ID! }',
  ),
  field('@unique', 'added', 'breaking', 'Int', '', '@unique'),
  field('@unique', 'removed', 'breaking', 'Int', '@unique', ''),
  field('@unique(with)', 'changed', 'breaking', 'Int', '@unique(with: ["y"])', '@unique'),
  field('@index', 'added or removed', 'additive', 'Int', '', '@index'),
  field('@index(with)', 'changed', 'additive', 'Int', '@index(with: ["y"])', '@index'),
  field('@default(value)', 'changed', 'warning', 'Int', '@default(value: 1)', '@default(value: 2)'),
  field('@default(value)', 'removed from a required field', 'breaking', 'Int!', '@default(value: 1)', ''),
  field('@default(value)', 'added', 'warning', 'Int', '', '@default(value: 1)'),
  change(
    '@default(value)',
    'other rows of a list',
    'warning',
    'type A { id: ID! bs: [B!]! } type B { id: ID! a: A! x: Int }',
    'type A { id: ID! bs: [B!]! @default(value: [{x: 1}]) } type B { id: ID! a: A! x: Int }',
  ),
  field('@auto(set)', 'added', 'breaking', 'DateTime', '', '@auto(set: CREATE_TIME)'),
  field('@auto(set)', 'changed', 'warning', 'DateTime', '@auto(set: CREATE_TIME)', '@auto(set: UPDATE_TIME)'),
  field('@auto(set)', 'removed from a required field', 'breaking', 'DateTime!', '@auto(set: CREATE_TIME)', ''),
  field('@immutable', 'added', 'breaking', 'Int', '', '@immutable'),
  field('@immutable', 'removed', 'additive', 'Int', '@immutable', ''),
  ...bound('min', 'Int', 5, 1),
  ...bound('max', 'Int', 1, 5),
  ...bound('minLength', 'String', 5, 1),
  ...bound('maxLength', 'String', 1, 5),
  ...bound('minItems', '[Int!]', 5, 1),
  ...bound('maxItems', '[Int!]', 1, 5),
  field(
    '@constraint(pattern)',
    'added or changed',
    'breaking',
    'String',
    '@constraint(pattern: "a")',
    '@constraint(pattern: "b")',
  ),
  field('@constraint(pattern)', 'removed', 'additive', 'String', '@constraint(pattern: "a")', ''),
  field(
    '@constraint(format)',
    'added or changed',
    'breaking',
    'String',
    '@constraint(format: "uri")',
    '@constraint(format: "email")',
  ),
  field('@constraint(format)', 'removed', 'additive', 'String', '@constraint(format: "uri")', ''),
  change('@relation(inverse)', 'changed', 'breaking', related('b'), related('c')),
  change(
    '@relation(onDelete)',
    'changed',
    'breaking',
    'type A { id: ID! b: B } type B { id: ID! }',
    'type A { id: ID! b: B @relation(onDelete: CASCADE) } type B { id: ID! }',
  ),
  next('@next', 'on an enum that had none', 'breaking', '', '@next(to: [Y])'),
  next('@next(to)', 'fewer states', 'breaking', '@next(to: [Y, Z])', '@next(to: [Y])'),
  next('@next(to)', 'more states', 'additive', '@next(to: [Y])', '@next(to: [Y, Z])'),
  next('@next(who)', 'fewer viewers', 'breaking', '@next(to: [Y], who: "anyone")', '@next(to: [Y], who: "signedIn")'),
  next('@next(role)', 'added or changed', 'breaking', '@next(to: [Y], role: "a")', '@next(to: [Y], role: "b")'),
  next('@next(where)', 'added or changed', 'breaking', '@next(to: [Y])', '@next(to: [Y], where: {n: {eq: 1}})'),
  field('@search', 'added', 'additive', 'String', '', '@search'),
  field('@search', 'removed from the last searched field', 'breaking', 'String', '@search', ''),
  change(
    '@search',
    'removed from one of several fields',
    'additive',
    'type A { id: ID! x: String @search y: String @search }',
    'type A { id: ID! x: String @search y: String }',
  ),
  field('@label', 'added or removed', 'none', 'String', '', '@label'),
  field('@collation(name)', 'another order', 'warning', 'String', '', '@collation(name: BINARY)'),
  field('@collation(name)', 'the default, which was not written', 'none', 'String', '', '@collation(name: FOLDED)'),
  change(
    '@computed',
    'the field is stored now',
    'additive',
    'type A { id: ID! x: Int @computed }',
    'type A { id: ID! x: Int }',
  ),
  change(
    '@computed',
    'the field was stored',
    'breaking',
    'type A { id: ID! x: Int }',
    'type A { id: ID! x: Int @computed }',
  ),
  change(
    '@computed(from)',
    'changed',
    'none',
    'type A { id: ID! y: Int x: Int @computed }',
    'type A { id: ID! y: Int x: Int @computed(from: ["y"]) }',
  ),
  change(
    '@was(name)',
    'a renamed field',
    'additive',
    'type A { id: ID! x: Int }',
    'type A { id: ID! y: Int @was(name: "x") }',
  ),
  change(
    '@was(name)',
    'a renamed type or enum value',
    'warning',
    'type A { id: ID! e: E } enum E { X }',
    'type A { id: ID! e: E } enum E { Y @was(name: "X") }',
  ),
  change('@was(name)', 'removed', 'additive', 'type A { id: ID! y: Int @was(name: "x") }', 'type A { id: ID! y: Int }'),
  field(
    '@cacheControl(maxAge)',
    'longer, or added',
    'warning',
    'Int',
    '@cacheControl(maxAge: 5)',
    '@cacheControl(maxAge: 6)',
  ),
  field(
    '@cacheControl(maxAge)',
    'shorter, or removed',
    'additive',
    'Int',
    '@cacheControl(maxAge: 6)',
    '@cacheControl(maxAge: 5)',
  ),
  field(
    '@cacheControl(scope)',
    'PUBLIC',
    'warning',
    'Int',
    '@cacheControl(scope: PRIVATE)',
    '@cacheControl(scope: PUBLIC)',
  ),
  field(
    '@cacheControl(scope)',
    'PRIVATE',
    'additive',
    'Int',
    '@cacheControl(scope: PUBLIC)',
    '@cacheControl(scope: PRIVATE)',
  ),
  field('@cost(weight)', 'raised', 'breaking', 'Int', '', '@cost(weight: 500)'),
  field('@cost(weight)', 'lowered', 'additive', 'Int', '@cost(weight: 500)', ''),
  field('@deprecated', 'added or removed', 'additive', 'Int', '', '@deprecated'),
  field('@deprecated(reason)', 'changed', 'none', 'Int', '@deprecated(reason: "a")', '@deprecated(reason: "b")'),
  change(
    '@specifiedBy(url)',
    'changed',
    'none',
    'scalar S @specifiedBy(url: "https://a.example") type A { id: ID! x: S }',
    'scalar S @specifiedBy(url: "https://b.example") type A { id: ID! x: S }',
  ),
  change(
    '@oneOf',
    'added',
    'breaking',
    'type A { id: ID! x(i: I): Int @computed } input I { a: Int b: Int }',
    'type A { id: ID! x(i: I): Int @computed } input I @oneOf { a: Int b: Int }',
  ),
  change(
    '@oneOf',
    'removed',
    'additive',
    'type A { id: ID! x(i: I): Int @computed } input I @oneOf { a: Int b: Int }',
    'type A { id: ID! x(i: I): Int @computed } input I { a: Int b: Int }',
  ),
]
