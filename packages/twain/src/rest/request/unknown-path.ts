// The 404 of a path that the service does not have: the paths that the client may have meant, or all of them.

import { ApiError, nearest } from '#base'
import { type CustomOperation, type Model, servedResources } from '#model'
import { kebabCase } from '#model/names'

/** Paths that the server has beside collections. */
const systemPaths = ['batch', 'changes', 'docs', 'openapi.json']

/** `first` is the first part of the path; `isServed` says whether the server has a path that belongs to no resource. */
export function unknownPath(path: string, first: string, model: Model, isServed: (path: string) => boolean): ApiError {
  const { resources, abstracts, operations } = model
  const message = `There is nothing at ${path}.`
  if (first === 'files') return new ApiError('NOT_FOUND', `${message} No field of the schema has the type File.`)
  if (first === 'console')
    return new ApiError('NOT_FOUND', `${message} The console is turned off.`, {
      hint: 'The setting console (--console, TWAIN_CONSOLE) turns it on.',
    })
  const collections = [...servedResources(model), ...abstracts].map((of) => of.path)
  // The last one wins if two have a word in common. Clients also guess the name of an operation as its path.
  const meanings = new Map<string, string>([
    ...operations.map((operation): [string, string] => [kebabCase(operation.name), printOperation(operation)]),
    ...systemPaths.filter((name) => isServed(`/${name}`)).map((name): [string, string] => [name, `/${name}`]),
    ['graphql', '/graphql'],
    ...operations.map((operation): [string, string] => [operation.path, printOperation(operation)]),
    ...collections.map((name): [string, string] => [name, `/${name}`]),
  ])
  const near = nearest(first, meanings.keys()).map((word) => meanings.get(word)!)
  if (near.length > 0 && !collections.includes(first)) {
    return new ApiError('NOT_FOUND', `${message} Did you mean ${[...new Set(near)].join(' or ')}?`)
  }
  const hint = [
    `The collections are ${listed([...resources, ...abstracts].map((of) => `/${of.path}`))}.`,
    ...(operations.length === 0 ? [] : [`The custom operations are ${listed(operations.map(printOperation))}.`]),
  ]
  return new ApiError('NOT_FOUND', message, { hint: hint.join(' ') })
}

/** A query is a GET, as one expects. */
function printOperation({ root, path }: CustomOperation): string {
  return root === 'Mutation' ? `POST /${path}` : `/${path}`
}

const maxListed = 20

function listed(paths: readonly string[]): string {
  return paths.slice(0, maxListed).join(', ') + (paths.length > maxListed ? ', … (all are at /docs)' : '')
}
