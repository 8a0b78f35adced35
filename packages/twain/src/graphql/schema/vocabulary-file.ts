// The file `vocabulary.graphql` of the package: everything that a schema file may use without declaring it, as SDL. With it beside
// a schema file, editors, graphql-config and graphql-codegen read the file without an error.

import { directiveDefinitions } from '#model'
import { imageFits, imageFormats } from '#plan'
import { builtInScalarTypes } from './scalar-types.ts'

export function vocabularyFile(): string {
  return `# What a schema file of Twain may use. Name this file beside it: schema: [schema.graphql, node_modules/twain/vocabulary.graphql]

${directiveDefinitions.trim()}

${builtInScalarTypes().join('\n\n')}

"An uploaded file."
type File {
  id: ID!
  "The file name that the uploader sent, without any folders."
  name: String!
  "The media type that the uploader sent: \`image/png\`."
  mediaType: String!
  "In bytes."
  size: Int!
  "The URL of its bytes on this server, or of a variant of an image. If not everyone may read the file, the URL is signed and valid for an hour."
  url(width: Int, height: Int, fit: ImageFit, format: ImageFormat): String!
}

"How an image fits into a width and a height."
enum ImageFit {
  ${imageFits.join('\n  ')}
}

"The format of a variant of an image."
enum ImageFormat {
  ${imageFormats.join('\n  ')}
}

schema {
  query: Query
  mutation: Mutation
  subscription: Subscription
}

"Extend it with custom queries."
type Query {
  _: Boolean
}

"Extend it with custom mutations."
type Mutation {
  _: Boolean
}

"Extend it with custom subscriptions."
type Subscription {
  _: Boolean
}
`
}
