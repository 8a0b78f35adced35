// The table of bad requests: raw, as bytes on the wire would be, with what the refusal must say.

import type { RawRequest } from './open-faces.ts'

export interface Attack extends RawRequest {
  name: string
  status?: number
  code?: string
  /** A word that the answer must name. */
  place?: string
}

interface BadValue {
  name: string
  field: string
  /** JSON text, so that what JSON.stringify would never write can be sent. */
  value: string
  code: string
}

const json = { 'content-type': 'application/json' }
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

export const badValues: BadValue[] = [
  { name: 'a string', field: 'int', value: '"5"', code: 'TYPE' },
  { name: 'a fraction', field: 'int', value: '1.5', code: 'TYPE' },
  { name: 'more than 32 bits', field: 'int', value: '2147483648', code: 'RANGE' },
  { name: 'less than 32 bits', field: 'int', value: '-2147483649', code: 'RANGE' },
  { name: 'an object', field: 'int', value: '{"valueOf":1}', code: 'TYPE' },
  { name: 'a string', field: 'float', value: '"NaN"', code: 'TYPE' },
  { name: 'an infinite number', field: 'float', value: '1e999', code: 'RANGE' },
  { name: 'a number', field: 'flag', value: '1', code: 'TYPE' },
  { name: 'a number', field: 'name', value: '7', code: 'TYPE' },
  { name: 'a list', field: 'name', value: '["x"]', code: 'TYPE' },
  { name: 'a NUL character', field: 'name', value: '"a\\u0000b"', code: 'PATTERN' },
  { name: 'half a surrogate pair', field: 'name', value: '"a\\ud800"', code: 'PATTERN' },
  { name: 'too long a text', field: 'name', value: `"${'x'.repeat(41)}"`, code: 'LENGTH' },
  { name: 'null', field: 'name', value: 'null', code: 'REQUIRED' },
  { name: 'true', field: 'key', value: 'true', code: 'TYPE' },
  { name: 'a day that is none', field: 'day', value: '"2026-02-30"', code: 'TYPE' },
  { name: 'a time', field: 'day', value: '"2026-02-03T00:00:00Z"', code: 'TYPE' },
  { name: 'a time without a zone', field: 'at', value: '"2026-02-03T00:00:00"', code: 'TYPE' },
  { name: 'a number', field: 'at', value: '1767225600000', code: 'TYPE' },
  { name: 'the 25th hour', field: 'at', value: '"2026-02-03T25:00:00Z"', code: 'TYPE' },
  { name: 'an exponent', field: 'exact', value: '"1e5"', code: 'TYPE' },
  { name: 'words', field: 'exact', value: '"ten"', code: 'TYPE' },
  { name: 'an endless number', field: 'exact', value: `"${'9'.repeat(500)}"`, code: 'TYPE' },
  { name: 'a fraction', field: 'big', value: '"1.5"', code: 'TYPE' },
  { name: 'a number that lost digits', field: 'big', value: '9007199254740993', code: 'TYPE' },
  { name: 'an unknown name', field: 'mood', value: '"CAML"', code: 'TYPE' },
  { name: 'an index', field: 'mood', value: '0', code: 'TYPE' },
  { name: 'a name of Object', field: 'mood', value: '"constructor"', code: 'TYPE' },
  { name: 'a NUL character inside', field: 'any', value: '{"a":["\\u0000"]}', code: 'PATTERN' },
  { name: 'a NUL character', field: 'own', value: '"\\u0000"', code: 'PATTERN' },
  { name: 'a text', field: 'place', value: '"Oslo"', code: 'TYPE' },
  { name: 'an unknown member', field: 'place', value: '{"city":"Oslo","street":"x"}', code: 'UNKNOWN' },
  { name: 'a member of the wrong type', field: 'place', value: '{"city":"Oslo","zip":"x"}', code: 'TYPE' },
  { name: 'a number', field: 'words', value: '5', code: 'TYPE' }, // a text alone is a list of one in GraphQL
  { name: 'a null item', field: 'words', value: '["a",null]', code: 'REQUIRED' },
  { name: 'an item of the wrong type', field: 'ints', value: '[1,"2"]', code: 'TYPE' },
  { name: 'an object', field: 'owner', value: '{"id":"x"}', code: 'TYPE' },
  { name: 'a text', field: 'friends', value: '"x"', code: 'TYPE' },
  { name: 'an unknown field', field: 'nmae', value: '1', code: 'UNKNOWN' },
  { name: 'an unknown field', field: '__proto__', value: '{"name":"x"}', code: 'UNKNOWN' },
  { name: 'an unknown field', field: 'constructor', value: '{}', code: 'UNKNOWN' },
  { name: 'a value', field: 'madeAt', value: '"2026-01-01T00:00:00Z"', code: 'READONLY' },
]

const post = (name: string, body: string | Uint8Array, rest: Partial<Attack> = {}): Attack => ({
  name,
  method: 'POST',
  path: '/things',
  headers: json,
  body,
  ...rest,
})
const get = (name: string, path: string, rest: Partial<Attack> = {}): Attack => ({ name, method: 'GET', path, ...rest })

export const restAttacks: Attack[] = [
  post('malformed JSON', '{"name": "x"', { status: 400, code: 'BAD_REQUEST' }),
  post('an empty body', '', { status: 400 }),
  post('a comma too many', '{"name":"x",}', { status: 400 }),
  post('NaN in JSON', '{"name":"x","float":NaN}', { status: 400 }),
  post('a text instead of an object', '"x"', { status: 400 }),
  post('null instead of an object', 'null', { status: 400 }),
  post('a number instead of an object', '42', { status: 400 }),
  post('JSON of 100,000 levels', `{"name":"x","any":${deep(100_000)}}`, { status: 400 }),
  post('JSON of 200 levels', `{"name":"x","any":${deep(200)}}`, { status: 400 }),
  post('invalid UTF-8', bytes('{"name":"', [0xc3, 0x28], '"}'), { status: 400 }),
  post('an overlong NUL', bytes('{"name":"', [0xc0, 0x80], '"}'), { status: 400 }),
  post('UTF-16', Buffer.from('{"name":"x"}', 'utf16le'), { status: 400 }),
  post('text/plain', '{"name":"x"}', { headers: { 'content-type': 'text/plain' }, status: 415 }),
  post('no media type', '{"name":"x"}', { headers: {}, status: 415 }),
  post('a media type of nonsense', '{"name":"x"}', { headers: { 'content-type': ';;;=' }, status: 415 }),
  post('another charset', '{"name":"x"}', {
    headers: { 'content-type': 'application/json; charset=latin1' },
    status: 415,
  }),
  post('an id of its own', '{"id":"mine","name":"x"}', { status: 400, place: 'id' }),
  post('a name that is taken', '{"name":"One"}', { status: 409, code: 'CONFLICT', place: 'name' }),
  post('a reference to nothing', '{"name":"x","owner":"nobody"}', { status: 409, code: 'CONFLICT', place: 'owner' }),
  post('a link to nothing', '{"name":"x","friends":["nobody"]}', { status: 409, place: 'friends' }),
  post('nothing that is required', '{}', { status: 400, place: 'name' }),
  post('a POST to an item', '{"name":"x"}', { path: '/things/$thing', status: 405 }),
  {
    name: 'a wrong patch type',
    method: 'PATCH',
    path: '/things/$thing',
    headers: { 'content-type': 'text/xml' },
    body: '<a/>',
    status: 415,
  },
  {
    name: 'a patch of nothing',
    method: 'PATCH',
    path: '/things/nothing',
    headers: json,
    body: '{"int":1}',
    status: 404,
  },
  {
    name: 'a patch that is a list',
    method: 'PATCH',
    path: '/things/$thing',
    headers: json,
    body: '[{"op":"add"}]',
    status: 400,
  },
  {
    name: 'a patch of an immutable field',
    method: 'PATCH',
    path: '/things/$thing',
    headers: json,
    body: '{"fixed":"x"}',
    status: 400,
    place: 'fixed',
  },
  {
    name: 'a patch of another id',
    method: 'PATCH',
    path: '/things/$thing',
    headers: json,
    body: '{"id":"other"}',
    status: 400,
    place: 'id',
  },
  {
    name: 'a put with another id',
    method: 'PUT',
    path: '/things/$thing',
    headers: json,
    body: '{"id":"other","name":"x"}',
    status: 400,
    place: 'id',
  },
  {
    name: 'a put to an impossible id',
    method: 'PUT',
    path: '/things/a%20b',
    headers: json,
    body: '{"name":"x"}',
    status: 400,
  },
  {
    name: 'a put to an id with a NUL',
    method: 'PUT',
    path: '/things/a%00b',
    headers: json,
    body: '{"name":"x"}',
    status: 400,
  },
  {
    name: 'a put to a very long id',
    method: 'PUT',
    path: `/things/${'a'.repeat(65)}`,
    headers: json,
    body: '{"name":"x"}',
    status: 400,
  },
  {
    name: 'a stale If-Match',
    method: 'PATCH',
    path: '/things/$thing',
    headers: { ...json, 'if-match': '"999"' },
    body: '{"int":1}',
    status: 412,
  },
  { name: 'a delete of nothing', method: 'DELETE', path: '/things/nothing', status: 404, code: 'NOT_FOUND' },
  { name: 'a delete of the collection', method: 'DELETE', path: '/things', status: 405 },
  { name: 'a method of nobody', method: 'BREW', path: '/things', status: 405 },
  get('an id of nothing', '/things/nothing', { status: 404, code: 'NOT_FOUND' }),
  get('an id with a NUL', '/things/%00', { status: 404 }),
  get('an id of bad percent-encoding', '/things/%zz'),
  get('an id of invalid UTF-8', '/things/%c3%28'),
  get('a path of nothing', '/thinks', { status: 404, place: 'things' }),
  get('a path upwards', '/things/../../etc/passwd', { status: 404 }),
  get('a path of slashes', '//things//', { status: 404 }),
  get('a path of Object', '/__proto__', { status: 404 }),
  get('a nested path of nothing', '/things/$thing/fiends', { status: 404 }),
  get('a nested path of nobody', '/owners/nobody/things', { status: 404 }),
  get('an unknown parameter', '/things?nmae=x', { status: 400, place: 'nmae' }),
  get('an unknown operator', '/things?name[like]=x', { status: 400, place: 'like' }),
  get('an operator that does not fit', '/things?flag[lt]=true', { status: 400, place: 'lt' }),
  get('a filter by JSON', '/things?any[eq]=1', { status: 400 }),
  get('brackets that do not close', '/things?name[eq=x', { status: 400 }),
  get('a filter through nothing', '/things?owner.nmae=x', { status: 400, place: 'nmae' }),
  get('a filter through a prototype', '/things?__proto__.name=x', { status: 400 }),
  get('a filter of the wrong type', '/things?int=abc', { status: 400, place: 'int' }),
  get('a filter beyond 32 bits', '/things?int[gt]=99999999999', { status: 400, place: 'int' }),
  get('a filter of an unknown enum value', '/things?mood=CAML', { status: 400, place: 'mood' }),
  get('a filter with a NUL', '/things?name=%00', { status: 400, place: 'name' }),
  get('a filter with a lone surrogate', '/things?name=%ed%a0%80', { status: 400 }),
  get('isNull of neither', '/things?int[isNull]=maybe', { status: 400, place: 'isNull' }),
  get('where that is no JSON', '/things?where={', { status: 400, place: 'where' }),
  get('where that is a list', '/things?where=[]', { status: 400, place: 'where' }),
  get('where of a prototype', `/things?where=${encodeURIComponent('{"__proto__":{"eq":1}}')}`, { status: 400 }),
  get('where of the wrong type', `/things?where=${encodeURIComponent('{"int":{"eq":"x"}}')}`, {
    status: 400,
    place: 'int',
  }),
  get('where of null', `/things?where=${encodeURIComponent('{"int":{"eq":null}}')}`, { status: 400, place: 'int' }),
  get(
    'where of 1,000 levels',
    `/things?where=${encodeURIComponent(`${'{"not":'.repeat(1000)}{}${'}'.repeat(1000)}`)}`,
    { status: 400 },
  ),
  get('where of two types', `/things?where=${encodeURIComponent('{"and":{"int":1}}')}`, { status: 400, place: 'and' }),
  get('a negative limit', '/things?limit=-1', { status: 400, place: 'limit' }),
  get('a limit beyond the page', '/things?limit=101', { status: 400, place: 'limit' }),
  get('a huge limit', '/things?limit=1e309', { status: 400, place: 'limit' }),
  get('a limit of NaN', '/things?limit=NaN', { status: 400, place: 'limit' }),
  get('an empty limit', '/things?limit=', { status: 400, place: 'limit' }),
  get('a fractional limit', '/things?limit=1.5', { status: 400, place: 'limit' }),
  get('a hexadecimal limit', '/things?limit=0x10', { status: 400, place: 'limit' }),
  get('a negative offset', '/things?offset=-1', { status: 400, place: 'offset' }),
  get('an offset beyond 2^53', '/things?offset=99999999999999999999', { status: 400, place: 'offset' }),
  get('a limit twice', '/things?limit=1&limit=2', { status: 400, place: 'limit' }),
  get('both kinds of page', '/things?limit=1&first=1', { status: 400 }),
  get('an after without a first', '/things?after=x', { status: 400 }),
  get('a sort by nothing', '/things?sort=nmae', { status: 400, place: 'nmae' }),
  get('a sort by a list', '/things?sort=words', { status: 400, place: 'words' }),
  get('a sort by JSON', '/things?sort=any', { status: 400 }),
  get('an empty sort key', '/things?sort=,,', { status: 400, place: 'sort' }),
  get('a field of nothing', '/things?fields=id,nmae', { status: 400, place: 'nmae' }),
  get('a field below a scalar', '/things?fields=name.length', { status: 400, place: 'name.length' }),
  get('a field of a prototype', '/things?fields=__proto__', { status: 400, place: '__proto__' }),
  get('fields of too many levels', '/things?fields=owner.things.owner.things.owner.things.owner.name', {
    status: 400,
    code: 'QUERY_TOO_DEEP',
  }),
  get('fields of too great a cost', '/things?fields=friends.things.friends.things.id', {
    status: 400,
    code: 'QUERY_TOO_COSTLY',
  }),
  get('bad percent-encoding', '/things?name=%zz', { status: 400 }),
  get('invalid UTF-8', '/things?name=%ff', { status: 400 }),
  get('an Accept that allows nothing', '/things', { headers: { accept: 'image/png' }, status: 406 }),
]

const query = (name: string, text: string, variables: unknown = undefined, rest: Partial<Attack> = {}): Attack => ({
  name,
  method: 'POST',
  path: '/graphql',
  headers: json,
  body: JSON.stringify({ query: text, variables }),
  ...rest,
})
const body = (name: string, text: string | Uint8Array, rest: Partial<Attack> = {}): Attack => ({
  ...query(name, ''),
  body: text,
  ...rest,
})
const list = (argument: string) => `{ things(${argument}) { id } }`

export const graphqlAttacks: Attack[] = [
  body('malformed JSON', '{"query": "{', { status: 400, code: 'BAD_REQUEST' }),
  body('an empty body', '', { status: 400 }),
  body('a body of null', 'null', { status: 400 }),
  body('a body that is a text', '"{ things { id } }"', { status: 400 }),
  body('no query', '{}', { status: 400, place: 'query' }),
  body('a query that is no text', '{"query":{"a":1}}', { status: 400, place: 'query' }),
  body('variables that are a text', '{"query":"{ things { id } }","variables":"x"}', {
    status: 400,
    place: 'variables',
  }),
  body('invalid UTF-8', bytes('{"query":"', [0xff], '"}'), { status: 400 }),
  body(
    'JSON of 100,000 levels',
    `{"query":"mutation ($i: CreateThingInput!) { createThing(input: $i) { id } }","variables":{"i":{"name":"x","any":${deep(100_000)}}}}`,
  ),
  query('text/plain', '{ things { id } }', undefined, { headers: { 'content-type': 'text/plain' }, status: 415 }),
  query('a form', '{ things { id } }', undefined, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
  }),
  query('an Accept that allows nothing', '{ things { id } }', undefined, {
    headers: { ...json, accept: 'image/png' },
    status: 406,
  }),
  {
    name: 'a mutation by GET',
    method: 'GET',
    path: `/graphql?query=${encodeURIComponent('mutation { deleteThing(id: "$thing") { success } }')}`,
    status: 405,
  },
  { name: 'a PUT', method: 'PUT', path: '/graphql', headers: json, body: '{}', status: 405 },
  query('a document that is none', '{ things { id }', undefined, { code: 'GRAPHQL_PARSE_FAILED' }),
  query('a document with a NUL', '{ things \u0000 { id } }', undefined, { code: 'GRAPHQL_PARSE_FAILED' }),
  query('a document of too many tokens', `{ ${'a '.repeat(3000)} }`, undefined, { code: 'GRAPHQL_PARSE_FAILED' }),
  query('a document of 5,000 braces', '{a'.repeat(5000), undefined, { code: 'GRAPHQL_PARSE_FAILED' }),
  query('an unknown field', '{ things { nmae } }', undefined, { code: 'GRAPHQL_VALIDATION_FAILED', place: 'name' }),
  query('an unknown root', '{ thinks { id } }', undefined, { code: 'GRAPHQL_VALIDATION_FAILED', place: 'things' }),
  query('a prototype field', '{ things { __proto__ } }', undefined, { code: 'GRAPHQL_VALIDATION_FAILED' }),
  query('an unknown argument', list('limt: 1'), undefined, { code: 'GRAPHQL_VALIDATION_FAILED' }),
  query('a fragment that contains itself', '{ things { ...A } } fragment A on Thing { id ...A }', undefined, {
    code: 'GRAPHQL_VALIDATION_FAILED',
  }),
  query('too many levels', '{ things { owner { things { owner { things { owner { id } } } } } } }', undefined, {
    code: 'QUERY_TOO_DEEP',
  }),
  query('too great a cost', '{ things { friends { things { friends { id } } } } }', undefined, {
    code: 'QUERY_TOO_COSTLY',
  }),
  query(
    'a thousand aliases',
    `{ ${Array.from({ length: 300 }, (_, at) => `a${at}: things { id }`).join(' ')} }`,
    undefined,
    { code: 'QUERY_TOO_COSTLY' },
  ),
  query('an operation of no name', 'query A { things { id } } query B { things { id } }', undefined, {
    code: 'BAD_REQUEST',
  }),
  query('a subscription', 'subscription { thingCreated { id } }'),
  query('a negative limit', list('limit: -1'), undefined, { place: 'limit' }),
  query('a limit beyond the page', list('limit: 101'), undefined, { place: 'limit' }),
  query('a limit beyond 32 bits', list('limit: 99999999999')),
  query('a null limit', list('limit: null'), undefined, { code: 'GRAPHQL_VALIDATION_FAILED' }),
  query('a negative offset', list('offset: -1'), undefined, { place: 'offset' }),
  query('a negative first', '{ thingsConnection(first: -1) { totalCount } }', undefined, { place: 'first' }),
  query('an after of nonsense', '{ thingsConnection(after: "nonsense") { totalCount edges { cursor } } }', undefined, {
    place: 'after',
  }),
  query('a limit of a text', 'query ($l: Int!) { things(limit: $l) { id } }', { l: '5' }, { place: 'l' }),
  query('a limit of NaN', 'query ($l: Int!) { things(limit: $l) { id } }', { l: Number.NaN }, { place: 'l' }),
  query('a missing variable', 'query ($l: Int!) { things(limit: $l) { id } }', {}, { place: 'l' }),
  query(
    'a filter by an unknown field',
    'query ($w: ThingWhere) { things(where: $w) { id } }',
    { w: { nmae: { eq: 'x' } } },
    { place: 'nmae' },
  ),
  query(
    'a filter by an unknown operator',
    'query ($w: ThingWhere) { things(where: $w) { id } }',
    { w: { name: { like: 'x' } } },
    { place: 'like' },
  ),
  query(
    'a filter of the wrong type',
    'query ($w: ThingWhere) { things(where: $w) { id } }',
    { w: { int: { eq: 'x' } } },
    { place: 'int' },
  ),
  query('a filter of an unknown enum value', list('where: {mood: {eq: CAML}}')),
  query(
    'a filter with a NUL',
    'query ($w: ThingWhere) { things(where: $w) { id } }',
    { w: { name: { eq: '\0' } } },
    { place: 'name' },
  ),
  query(
    'a filter with a lone surrogate',
    'query ($w: ThingWhere) { things(where: $w) { id } }',
    { w: { name: { contains: '\ud800' } } },
    { place: 'name' },
  ),
  body(
    'a filter of a prototype',
    '{"query":"query ($w: ThingWhere) { things(where: $w) { id } }","variables":{"w":{"__proto__":{"eq":1}}}}',
  ),
  query('a filter of 500 levels', 'query ($w: ThingWhere) { things(where: $w) { id } }', nest(500)),
  query('an order by two fields at once', list('orderBy: {name: ASC, int: DESC}')),
  query('an order by nothing', list('orderBy: {nmae: ASC}')),
  query(
    'an order by a direction of nonsense',
    'query ($o: [ThingOrder!]) { things(orderBy: $o) { id } }',
    { o: [{ name: 'UP' }] },
    { place: 'o' },
  ),
  query('a create of nothing', 'mutation { createThing(input: {}) { id } }', undefined, { place: 'name' }),
  query(
    'a create with an id',
    'mutation ($i: CreateThingInput!) { createThing(input: $i) { id } }',
    { i: { id: 'mine', name: 'x' } },
    { place: 'id' },
  ),
  query('a name that is taken', 'mutation { createThing(input: {name: "One"}) { id } }', undefined, {
    code: 'CONFLICT',
    place: 'name',
  }),
  query('a reference to nothing', 'mutation { createThing(input: {name: "x", owner: "nobody"}) { id } }', undefined, {
    code: 'CONFLICT',
    place: 'owner',
  }),
  query('an update of nothing', 'mutation { updateThing(id: "nothing", int: 1) { id } }', undefined, {
    code: 'NOT_FOUND',
  }),
  query('an update of an id with a NUL', 'mutation ($id: ID!) { updateThing(id: $id, int: 1) { id } }', { id: '\0' }),
  query(
    'an update that clears what is required',
    'mutation { updateThing(id: "$thing", name: null) { id } }',
    undefined,
    { place: 'name' },
  ),
  query('an update said twice', 'mutation { updateThing(id: "$thing", int: 1, input: {int: 2}) { id } }', undefined, {
    place: 'int',
  }),
  query('a stale ifVersion', 'mutation { updateThing(id: "$thing", int: 1, ifVersion: 999) { id } }', undefined, {
    code: 'PRECONDITION_FAILED',
  }),
  query('a negative ifVersion', 'mutation { updateThing(id: "$thing", int: 1, ifVersion: -1) { id } }'),
  query('a replace of an impossible id', 'mutation { replaceThing(id: "a b", input: {name: "x"}) { id } }'),
]

function nest(levels: number): { w: object } {
  let where: object = { int: { eq: 1 } }
  for (let level = 0; level < levels; level++) where = { not: where }
  return { w: where }
}
