// Where → SQL. `not` is pushed inward to the atoms, where NULL is known: a row whose field is null does not match an atom, and
// matches its negation (docs/reference/graphql.md#filters). A condition here may be unknown (`column = 'x'` of a null), which counts
// as false. So nothing stands under SQL's NOT but EXISTS: `isNotTrue` negates the rest.

import { unreachable } from '#base'
import {
  type Abstract,
  type CompareOp,
  type InverseField,
  isFolded,
  type LinksField,
  membersOf,
  operators,
  type ReferenceField,
  type Resource,
  type StoredField,
  type StoredType,
  type ToManyField,
} from '#model'
import { namesOf } from '#model/names'
import { type ComparedField, type ComparedValue, conditionsIn, type Guard, type Where } from '#plan'
import { targetType } from '#plan/build'
import {
  type Layout,
  linkSides,
  sourceOf,
  storageTypeOf,
  tableOf,
  wholeLayout,
  wholeSourceOf,
} from '../tables/layout.ts'
import { quoteName, quoteText } from '../tables/quote.ts'
import { storagePath } from '../tables/storage-codes.ts'
import { DeletedRow } from './deleted-row.ts'
import { type Comparable, type Dialect, orderSigns } from './dialect.ts'
import { foldByType } from './fold-by-type.ts'
import { conjuncts, coveredInList } from './index-order.ts'
import { compileLive } from './live.ts'
import { compileSearch } from './search/search.ts'
import { SqlRow, SqlRowById } from './sql-row.ts'
import { and, isNotTrue, joined, type StatementBuilder } from './statement-builder.ts'

export function compileWhere(where: Where, row: SqlRow, statement: StatementBuilder, negated = false): string {
  switch (where.kind) {
    case 'and':
    case 'or': {
      if (where.guarded === true) return compileGuarded(where, row, statement, negated)
      const decided = foldByType(where, row.resource, row.layout)
      if (decided !== null) return constant(decided !== negated)
      const open = where.of.filter((part) => foldByType(part, row.resource, row.layout) === null)
      const parts = open.map((part) => compileWhere(part, row, statement, negated))
      return joined(parts, (where.kind === 'and') === negated ? 'OR' : 'AND')
    }
    case 'not':
      return compileWhere(where.of, row, statement, !negated)
    case 'constant':
      return constant(where.is !== negated)
    case 'compare':
      return compileCompare(where, row, statement, negated)
    case 'type':
      if (where.of !== row.resource || where.where === undefined)
        return constant((where.of === row.resource) !== negated)
      return compileWhere(where.where, row, statement, negated)
    case 'viewer':
      return compileViewer(row, statement, negated)
    case 'live':
      return `${negated ? 'NOT ' : ''}(${compileLive(where, row, statement)})`
    case 'null':
      return compileNull(where, row, statement, negated)
    case 'through':
      return compileThrough(where, row, statement, negated)
    case 'some':
    case 'none': {
      const isSome = (where.kind === 'none') === negated
      if (row.isGone && !isSome) return constant(false)
      const exists = compileSome(where.field, where.where, row, statement)
      return isSome ? exists : `NOT ${exists}`
    }
    case 'search':
      return compileSearch(where, row, statement, (guard) => compileReadable(guard, row, statement))
    default:
      return unreachable(where)
  }
}

function constant(is: boolean): string {
  return is ? 'TRUE' : 'FALSE'
}

/** The SQL function that counts rejected rows and returns 0 (`sqlite/read/read-cost.ts`). */
export const countMissFunction = 'twain_missed'

/** A filter that counts the rows it rejects. An index covers some of its conditions, so the database visits only rows that
 *  match them; the filter counts each row that fails another condition. It uses CASE, since SQLite evaluates AND and OR in an
 *  order of its own. */
export function compileCountedWhere(
  where: Where,
  covered: readonly Where[],
  row: SqlRow,
  statement: StatementBuilder,
): string {
  const remaining = conjuncts(where).filter((part) => !covered.includes(part))
  const parts = covered.map((part) => compileWhere(part, row, statement))
  if (remaining.length === 0) return and(parts)
  const condition = compileWhere({ kind: 'and', of: remaining }, row, statement)
  return and([...parts, `CASE WHEN ${condition} THEN 1 ELSE ${countMissFunction}() END`])
}

/** Null if every row passes. */
export function compileGuard(guard: Guard | undefined, row: SqlRow, statement: StatementBuilder): string | null {
  if (guard === undefined || isConstant(guard, true)) return null
  return compileReadable(guard, row, statement)
}

/** The rule must hold for the hidden row as things are, and as they were before rows were hidden. By one alone, a rule with a `not`
 *  or a list would grant what nobody was granted. */
export function compileHiddenGuard(guard: Guard, row: SqlRow, statement: StatementBuilder): string {
  const before = new SqlRow(row.alias, row.resource, wholeLayout(row.layout))
  const conditions = [row, before].map((each) => compileWhere(guard, each, statement))
  for (const column of before.used) row.used.add(column)
  return `(${conditions.join(' AND ')})`
}

/** Whether the row passes the guard, and each later state of a logged row too. */
function compileReadable(guard: Guard, row: SqlRow, statement: StatementBuilder): string {
  const own = compileOwn(guard, row, statement)
  return row.later.length === 0 ? own : `(${own} AND ${compileLater(guard, row, statement)})`
}

/** As in `compileHiddenGuard`, a deleted row must pass as things were too. */
function compileOwn(guard: Guard, row: SqlRow, statement: StatementBuilder): string {
  if (row.states === null) return compileWhere(guard, row, statement)
  const [now, before] = row.states.map((each) => compileWhere(guard, each, statement))
  return `(${now} AND (${row.version} > 0 OR ${before}))`
}

/** Whether each later state of a logged row passes the guard. */
export function compileLater(guard: Guard, row: SqlRow, statement: StatementBuilder): string {
  return and(row.later.map(({ row: other, isAbsent }) => `(${isAbsent} OR ${compileWhere(guard, other, statement)})`))
}

/** A condition on a guarded field of a logged row. If a later state hides the field, the filter must not find its value. A row
 *  that matched before leaves the filter then. So that this does not tell the value, every row with the field leaves it. */
function compileGuarded(
  { of: [guard, condition] }: Where & { kind: 'and' | 'or' },
  row: SqlRow,
  statement: StatementBuilder,
  negated: boolean,
): string {
  const parts = [compileOwn(guard!, row, statement), compileWhere(condition!, row, statement)]
  if (row.later.length > 0) {
    const isShown = compileLater(guard!, row, statement)
    if (row.isPrevious) parts[1] = `(${parts[1]} OR ${isNotTrue(isShown)})`
    else parts.push(`(${isShown})`)
  }
  return negated ? isNotTrue(and(parts)) : `(${and(parts)})`
}

export function isConstant(where: Where, is: boolean): boolean {
  return where.kind === 'constant' && where.is === is
}

type CompareWhere = Where & { kind: 'compare' }

function compileCompare(
  { target, op, parameter }: CompareWhere,
  row: SqlRow,
  statement: StatementBuilder,
  negated: boolean,
): string {
  const { dialect } = statement
  const { codes } = row.layout
  if (target.json !== undefined) return compileJsonCompare({ target, op, parameter }, row, statement, negated)
  const turned = negated ? operators[op].negation : op
  const { column, encoding } = compileTarget(target, row, statement)
  const type = targetType(target)
  if (type.kind === 'list' && op === 'contains') {
    const path = storagePath(target, codes)
    const list = path.length === 0 ? row.stored(target.field) : dialect.inner(row.stored(target.field), path)
    const exists = dialect.listContains(
      type.of,
      list,
      statement.bind(parameter, { kind: 'member', type: type.of, codes }),
    )
    return negated ? `NOT ${exists}` : exists
  }
  const named = row.several && target.field.name === 'id' ? namesOf(row.resource).join(' ') : null
  const one = (): string =>
    statement.bind(parameter, named === null ? { kind: encoding, type, codes } : { kind: 'id', type: named })
  const isAmong = (): string => {
    const kind = encoding === 'column' ? 'columns' : 'members'
    const list = statement.bind(parameter, named === null ? { kind, type, codes } : { kind: 'ids', type: named })
    return dialect.among(type, column, list)
  }
  const folded = (): string => statement.bind(parameter, { kind: 'folded' })
  const condition =
    compileTextCompare({ target, op: turned ?? op, parameter }, column, row, statement) ??
    ((turned ?? op) === 'eq'
      ? row.equals(column, one())
      : compileOp(turned ?? op, column, { one, isAmong, folded }, dialect))
  return negated && turned === null ? isNotTrue(condition) : condition
}

/** Texts in the order for people are compared by their keys, then by themselves. An index over such a text begins with its key, so
 *  equality names the key too. Null: the condition does not depend on the order. */
function compileTextCompare(
  { target, op, parameter }: Pick<CompareWhere, 'target' | 'op' | 'parameter'>,
  column: string,
  row: SqlRow,
  statement: StatementBuilder,
): string | null {
  if (!isFolded(target.inside.at(-1) ?? target.field)) return null
  const { dialect } = statement
  const { codes } = row.layout
  const key = target.inside.length === 0 ? row.textKey(target.field) : null
  switch (op) {
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte': {
      const sign = orderSigns[op]
      if (key === null)
        return `${dialect.rank(dialect.textKey(column), column)} ${sign} ${statement.bind(parameter, { kind: 'rank' })}`
      const [bound, text] = [{ kind: 'textKey' } as const, { kind: 'column', type: string, codes } as const]
      return `(${key}, ${column}) ${sign} (${statement.bind(parameter, bound)}, ${statement.bind(parameter, text)})`
    }
    case 'eq': {
      if (key === null || !isFoundByKey(target.field, row)) return null
      const text = statement.bind(parameter, { kind: 'column', type: string, codes })
      return `(${row.equals(key, statement.bind(parameter, { kind: 'textKey' }))} AND ${row.equals(column, text)})`
    }
    case 'in': {
      if (key === null || !isFoundByKey(target.field, row)) return null
      const texts = statement.bind(parameter, { kind: 'columns', type: string, codes })
      return `(${dialect.amongKeyed(key, statement.bind(parameter, { kind: 'textKeys' }), column, texts)})`
    }
    default:
      return null
  }
}

/** Whether an index has the field behind its key. The index of a field that is unique alone has no key. */
function isFoundByKey(field: StoredField, row: SqlRow): boolean {
  const own = row.own(field)
  return own.owner.indexes.some(({ unique, fields }) => fields.includes(own) && !(unique && fields.length === 1))
}

/** Binds the value of a condition, as its operator takes it. */
interface Operand {
  one(): string
  isAmong(): string
  folded(): string
}

/** A scalar inside a JSON field. */
function compileJsonCompare(
  { target, op, parameter }: Pick<CompareWhere, 'target' | 'op' | 'parameter'>,
  row: SqlRow,
  statement: StatementBuilder,
  negated: boolean,
): string {
  const { json, path } = compileJsonTarget(target, row, statement)
  const { insideJson } = statement.dialect
  const bind = () => statement.bind(parameter, { kind: 'column', type: targetType(target), codes: row.layout.codes })
  switch (op) {
    case 'eq':
    case 'ne':
      return not(insideJson.compare(json, path, 'eq', bind()), (op === 'ne') !== negated)
    case 'in':
    case 'notIn':
      return not(insideJson.among(json, path, bind()), (op === 'notIn') !== negated)
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return not(insideJson.compare(json, path, op, bind()), negated)
    default:
      return not(compileJsonText(op, insideJson.text(json, path), parameter, row, statement), negated)
  }
}

/** A condition on a string inside a JSON field: false for anything else. */
function compileJsonText(
  op: CompareOp,
  text: string,
  parameter: ComparedValue,
  row: SqlRow,
  statement: StatementBuilder,
): string {
  const { codes } = row.layout
  const one = () => statement.bind(parameter, { kind: 'column', type: string, codes })
  const folded = () => statement.bind(parameter, { kind: 'folded' })
  const isAmong = () => {
    throw new Error(`"${op}" compares no texts inside JSON`)
  }
  return `coalesce(${compileOp(op, `(${text})`, { one, isAmong, folded }, statement.dialect)}, FALSE)`
}

const string: StoredType = { kind: 'scalar', name: 'String' }

function not(condition: string, negated: boolean): string {
  return negated ? `NOT ${condition}` : condition
}

/** The JSON, and the path from there. */
function compileJsonTarget(
  target: ComparedField,
  row: SqlRow,
  statement: StatementBuilder,
): { json: string; path: string } {
  const outer = storagePath(target, row.layout.codes)
  const column = row.stored(target.field)
  const json = outer.length === 0 ? column : statement.dialect.inner(column, outer)
  return { json, path: statement.bind(target.json!.path, { kind: 'path' }) }
}

function compileOp(op: CompareOp, column: string, { one, isAmong, folded }: Operand, dialect: Dialect): string {
  switch (op) {
    case 'eq':
      return `${column} = ${one()}`
    case 'ne':
      return `${column} IS DISTINCT FROM ${one()}`
    case 'in':
      return isAmong()
    case 'notIn':
      return isNotTrue(isAmong())
    case 'lt':
      return `${column} < ${one()}`
    case 'lte':
      return `${column} <= ${one()}`
    case 'gt':
      return `${column} > ${one()}`
    case 'gte':
      return `${column} >= ${one()}`
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return dialect[op](column, one())
    case 'ieq':
      return `${dialect.folded(column)} = ${folded()}`
    case 'icontains':
      return dialect.contains(dialect.folded(column), folded())
    case 'istartsWith':
      return dialect.startsWith(dialect.folded(column), folded())
    case 'iendsWith':
      return dialect.endsWith(dialect.folded(column), folded())
    default:
      return unreachable(op)
  }
}

/** The SQL of a stored field, or of a member inside its value type, and the encoding of values to compare it with. */
function compileTarget({ field, inside }: ComparedField, row: SqlRow, { dialect }: StatementBuilder): Comparable {
  const column = row.stored(field)
  const last = inside.at(-1)
  if (last === undefined) return { column: dialect.comparable(field.type, column), encoding: 'column' }
  const path = storagePath({ field, inside }, row.layout.codes)
  return dialect.inside(last.type, column, path)
}

/** No row belongs to a viewer without an account. Over an interface or a union only rows of the account type can match. */
function compileViewer(row: SqlRow, statement: StatementBuilder, negated: boolean): string {
  if (row.resource !== row.layout.account) return constant(negated)
  const own = row.equals(row.id, statement.viewer())
  return negated ? isNotTrue(own) : own
}

function compileNull(
  { target, is }: Where & { kind: 'null' },
  row: SqlRow,
  statement: StatementBuilder,
  negated: boolean,
): string {
  const isNull = is !== negated
  if (target.kind === 'inverse') {
    if (row.isGone && isNull) return constant(false)
    const exists = compileRelated(target, null, row, statement)
    return isNull ? `NOT ${exists}` : exists
  }
  if (target.kind === 'target' && target.json !== undefined) {
    const { json, path } = compileJsonTarget(target, row, statement)
    const { exists, isNull: isNothing } = statement.dialect.insideJson
    if (target.json.presence === true) return `${isNull ? 'NOT ' : ''}(${exists(json, path)})`
    return `${isNull ? '' : 'NOT '}(${isNothing(json, path)})`
  }
  const column = target.kind === 'reference' ? row.reference(target).id : compileTarget(target, row, statement).column
  return `${column} IS ${isNull ? '' : 'NOT '}NULL`
}

type ThroughWhere = Where & { kind: 'through' }

function compileThrough(
  { field, where }: ThroughWhere,
  row: SqlRow,
  statement: StatementBuilder,
  negated: boolean,
): string {
  if (field.kind === 'reference' && field.to.kind === 'resource' && asksIdOnly(where)) {
    // The id is in the row itself: no other table is read. If there is no referred row, no condition holds.
    const { id } = row.reference(field)
    const condition = compileWhere(where, new SqlRowById(id, field.to, row.layout, '', row), statement)
    const whole = isEquality(where) ? condition : `(${id} IS NOT NULL AND ${condition})`
    return negated ? isNotTrue(whole) : whole
  }
  if (negated && row.isPast) return compileNotThrough(field, where, row, statement)
  const exists = compileRelated(field, where, row, statement)
  return negated ? `NOT ${exists}` : exists
}

/** A row as it was refers to no row, or to one that does not match. Of a deleted row its last version counts, or a rule such as "not of
 *  a secret project" would hold as soon as the project is deleted. */
function compileNotThrough(
  field: ReferenceField | InverseField,
  where: Where,
  row: SqlRow,
  statement: StatementBuilder,
): string {
  if (field.kind === 'inverse')
    return row.isGone ? constant(false) : `NOT ${compileRelated(field, where, row, statement)}`
  const { id, type } = row.reference(field)
  const parts = membersOf(field.to).map((resource) => {
    const live = new SqlRow(statement.alias(), resource, row.layout, type !== null)
    const last = new DeletedRow(statement.alias(), resource, row.layout, statement.dialect, type !== null)
    const known = new SqlRow(statement.alias(), resource, row.layout)
    const isDeleted = `NOT EXISTS (SELECT 1 FROM ${from(known)} WHERE ${known.id} = ${id})`
    const found = [
      `EXISTS (SELECT 1 FROM ${from(live)} WHERE ${live.id} = ${id} AND ${compileWhere(where, live, statement, true)})`,
      `${isDeleted} AND EXISTS (SELECT 1 FROM ${last.source} WHERE ${last.isOf(id)} AND ${compileWhere(where, last, statement, true)})`,
    ]
    const isFound = `(${found.join(' OR ')})`
    return type === null ? isFound : `(${type} = ${live.typeName} AND ${isFound})`
  })
  return `(${[`${id} IS NULL`, ...parts].join(' OR ')})`
}

/** A value that equals something is not null. */
function isEquality(where: Where): boolean {
  return where.kind === 'viewer' || (where.kind === 'compare' && where.op === 'eq')
}

/** Whether the condition is about the id of the row alone. */
export function asksIdOnly(where: Where): boolean {
  switch (where.kind) {
    case 'compare':
      return where.target.field.name === 'id'
    case 'and':
    case 'or':
    case 'not':
      return conditionsIn(where).every(asksIdOnly)
    case 'viewer':
    case 'constant':
      return true
    case 'null':
    case 'type':
    case 'live':
    case 'search':
    case 'through':
    case 'some':
    case 'none':
      return false
    default:
      return unreachable(where)
  }
}

/** Whether the referred row exists and matches the filter. */
function compileRelated(
  field: ReferenceField | InverseField,
  where: Where | null,
  row: SqlRow,
  statement: StatementBuilder,
): string {
  if (field.kind === 'inverse') {
    const { to, via } = row.own(field)
    const other = new SqlRow(statement.alias(), to, row.layout)
    return exists(other, pointsAt(other, via, row), where, statement)
  }
  const { id, type } = row.reference(field)
  const parts = matchableTypes(field.to, where, row.layout).map((resource) => {
    const other = new SqlRow(statement.alias(), resource, row.layout, type !== null)
    const isType = type === null ? '' : `${type} = ${other.typeName} AND `
    return `${isType}${exists(other, `${other.id} = ${id}`, where, statement)}`
  })
  if (parts.length === 0) return 'FALSE'
  return type === null ? parts[0]! : `(${parts.map((part) => `(${part})`).join(' OR ')})`
}

/** Whether a row of the list matches the filter. */
function compileSome(
  field: ToManyField | LinksField,
  where: Where | null,
  row: SqlRow,
  statement: StatementBuilder,
): string {
  const own = row.own(field)
  if (own.kind === 'many') {
    const other = new SqlRow(statement.alias(), own.to, row.layout)
    return `EXISTS (SELECT 1 FROM ${from(other)} WHERE ${and([pointsAt(other, own.via, row), inList(other)])})`
  }
  const parts = matchableTypes(own.to, where, row.layout).map((resource) => {
    const other = new SqlRow(statement.alias(), resource, row.layout, own.to.kind === 'abstract')
    const { from, on } = compileLinked(own, other, row.id, statement)
    return `EXISTS (SELECT 1 FROM ${from} WHERE ${and([on, inList(other)])})`
  })
  if (parts.length === 0) return 'FALSE'
  return parts.length === 1 ? parts[0]! : `(${parts.join(' OR ')})`

  function inList(other: SqlRow): string | null {
    if (where === null) return null
    if (!statement.countsMisses) return compileWhere(where, other, statement)
    return compileCountedWhere(where, coveredInList(where, other.resource, own), other, statement)
  }
}

/** The types whose rows may match the filter at all. */
function matchableTypes(type: Resource | Abstract, where: Where | null, layout: Layout): readonly Resource[] {
  const members = membersOf(type)
  return where === null ? members : members.filter((member) => foldByType(where, member, layout) !== false)
}

function exists(other: SqlRow, join: string, where: Where | null, statement: StatementBuilder): string {
  const filter = where === null ? null : compileWhere(where, other, statement)
  return `EXISTS (SELECT 1 FROM ${from(other)} WHERE ${and([join, filter])})`
}

export function from(row: SqlRow): string {
  return `${sourceOf(tableOf(row.layout, row.resource))} AS ${row.alias}`
}

/** The same with hidden rows. */
export function fromWhole(row: SqlRow): string {
  return `${wholeSourceOf(tableOf(row.layout, row.resource))} AS ${row.alias}`
}

/** Joins the row that meets the condition. Each row before it looks it up, and their order remains: the fence keeps the database from
 *  beginning with the joined rows, and it starts no parallel processes for such a subquery. SQLite has no LATERAL. */
export function lookUp(row: SqlRow, condition: string, { dialect }: StatementBuilder): string {
  const found = `SELECT ${row.alias}.* FROM ${from(row)} WHERE ${condition}${dialect.fence}`
  return ` CROSS JOIN LATERAL (${found}) AS ${row.alias}`
}

/** The condition that `other` refers to `row` with `via`. */
export function pointsAt(other: SqlRow, via: ReferenceField, row: SqlRow): string {
  const { id, type } = other.reference(via)
  const isId = other.equals(id, row.id)
  return type === null ? isId : `${isId} AND ${type} = ${row.typeName}`
}

/** The tables and the condition that find the rows linked to the row with this id. `isByLink`: each link looks
 *  up its row. */
export function compileLinked(
  field: LinksField,
  other: SqlRow,
  id: string,
  statement: StatementBuilder,
  isByLink = false,
): { from: string; on: string; id: string } {
  const { table, own, other: far } = linkSides(other.layout, field)
  const link = statement.alias()
  const conditions = and([`${link}.${quoteName(own)} = ${id}`, compileLinkedType(field, link, other)])
  const farId = `${link}.${quoteName(far)}`
  const isLinked = `${other.id} = ${farId}`
  const joined = isByLink ? lookUp(other, isLinked, statement) : ` JOIN ${from(other)} ON ${isLinked}`
  return { from: `${quoteName(table)} AS ${link}${joined}`, on: conditions, id: farId }
}

/** The condition that a link is one between rows of these types; null: all links of the table are. */
export function compileLinkedType(field: LinksField, link: string, other: SqlRow): string | null {
  const { rightType } = other.layout.links.get(field.link)!
  if (rightType === null) return null
  const right = field.side === 'left' ? other.typeName : quoteText(storageTypeOf(other.layout, field.owner))
  return `${link}.${quoteName(rightType)} = ${right}`
}
