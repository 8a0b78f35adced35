// Plain resolvers for the schema over rows in memory, as somebody would write them by hand for graphql-js.

import { GraphQLError, type GraphQLFieldResolver, type GraphQLTypeResolver } from 'graphql'
import type { Viewer } from '../../packages/twain/src/base/http/index.ts'
import type { Abstract, Model, Resource, ToManyField } from '../../packages/twain/src/model/index.ts'
import type { Row, Rows } from './rows.ts'

type Arguments = Record<string, unknown>

interface Connection {
  all: Row[]
  page: Row[]
  first: number
}

export function resolversOver(rows: Rows, model: Model, viewer: Viewer) {
  const typeResolver: GraphQLTypeResolver<unknown, unknown> = (source) => (source as Row).type
  const fieldResolver: GraphQLFieldResolver<unknown, unknown, Arguments> = (
    source,
    args,
    _,
    { parentType, fieldName },
  ) => {
    const { name } = parentType
    if (name === 'Query') return resolveRoot(fieldName, args)
    if (name.endsWith('Connection')) return ofConnection(source as Connection, fieldName)
    if (name === 'PageInfo') return fieldName === 'hasNextPage' && hasMore(source as Connection)
    if (name.endsWith('Edge')) return source
    const resource = model.types.get(name)
    if (resource?.kind !== 'resource') return (source as Arguments)[fieldName]
    return resolveField(source as Row, resource, fieldName, args)
  }
  return { fieldResolver, typeResolver }

  function resolveRoot(name: string, args: Arguments): unknown {
    if (name === 'node') return byNodeId(args._nodeId)
    if (name === 'nodes') return (args._nodeIds as unknown[]).map(byNodeId)
    for (const of of [...model.resources, ...model.abstracts]) {
      if (of.kind === 'resource' && name === of.single) return rows.find(of.name, args.id)
      if (name === of.list || name === `${of.list}Connection`) return paged(all(of), args, name.endsWith('Connection'))
    }
    if (name === 'identitiesConnection') return paged([], args, true)
    return name === 'tokens' || name === 'identities' ? [] : null
  }

  function byNodeId(nodeId: unknown): Row | null {
    const [type = '', id] = String(nodeId).split('.')
    return rows.find(Buffer.from(type, 'base64url').toString(), id) ?? null
  }

  /** Rows of an interface sort by id and then by type, but the ids here are all different. */
  function all(of: Resource | Abstract): Row[] {
    if (of.kind === 'resource') return rows.of(of.name)
    return of.members.flatMap((member) => rows.of(member.name)).sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  function resolveField(row: Row, resource: Resource, name: string, args: Arguments): unknown {
    if (name === '_version') return 1
    if (name === '_nodeId') return `${Buffer.from(row.type).toString('base64url')}.${row.id}`
    const isConnection = !resource.fields.has(name)
    const field = resource.fields.get(isConnection ? name.replace(/Connection$/, '') : name)!
    switch (field.kind) {
      case 'stored':
        if (field.rules.length > 0 && (field.auto === 'LOCK_TIME' || !mayRead(row))) throw forbidden()
        return row.values[name] ?? null
      case 'reference':
        return rows.byId(row.values[name])
      case 'inverse':
        return null
      case 'many':
        return paged(pointingAt(row, field), args, isConnection)
      case 'links': {
        const ids = linkedIds(row, field.to as Resource, field.name)
        return paged(
          all(field.to).filter(({ id }) => ids.has(id)),
          args,
          isConnection,
        )
      }
    }
  }

  function mayRead({ type, id, values }: Row): boolean {
    return viewer.account === (type === 'User' ? id : values.author)
  }

  function pointingAt({ id }: Row, { to, via }: ToManyField): Row[] {
    return rows.of(to.name).filter(({ values }) => values[via.name] === id)
  }

  /** A post has the list of its tags; the posts of a tag are those that list it. */
  function linkedIds({ type, id, values }: Row, to: Resource, name: string): Set<string> {
    if (type === 'Post') return new Set(values[name] as string[])
    const holders = rows.of(to.name).filter(({ values: far }) => (far.tags as string[]).includes(id))
    return new Set(holders.map((holder) => holder.id))
  }
}

function paged(all: Row[], args: Arguments, isConnection: boolean): Row[] | Connection {
  const [size, offset] = isConnection ? [args.first as number, 0] : [args.limit as number, args.offset as number]
  if (size < 0 || size > 100 || offset < 0)
    throw new GraphQLError('wrong', { extensions: { code: 'VALIDATION_FAILED' } })
  const page = all.slice(offset, offset + size)
  return isConnection ? { all, page, first: size } : page
}

function ofConnection(connection: Connection, name: string): unknown {
  if (name === 'edges') return connection.page
  return name === 'pageInfo' ? connection : connection.all.length
}

function hasMore({ all, first }: Connection): boolean {
  return all.length > first
}

function forbidden(): GraphQLError {
  return new GraphQLError('You may not read it.', { extensions: { code: 'FORBIDDEN' } })
}
