// What an operator says about the GraphQL door.

export interface GraphqlSettings {
  /** Whether the schema can be asked for; without it no answer suggests a name of the schema either. */
  introspection: boolean
  /** Whether browsers find GraphiQL at `/graphql`; where the schema can't be asked for, or nothing but trusted documents, they do not. */
  graphiql: boolean
  /** A JSON file of trusted documents: `{"<hash>": "<document>"}`. */
  trustedDocuments: string | null
  /** Whether nothing but the trusted documents is answered. */
  trustedDocumentsOnly: boolean
}

export const defaultGraphqlSettings: GraphqlSettings = {
  introspection: true,
  graphiql: true,
  trustedDocuments: null,
  trustedDocumentsOnly: false,
}

/** A sentence for each combination that can't be meant. */
export function graphqlMistakes({
  trustedDocuments: documents,
  trustedDocumentsOnly: trustedOnly,
}: GraphqlSettings): string[] {
  if (!trustedOnly || documents !== null) return []
  return ['graphql.trustedDocumentsOnly wants graphql.trustedDocuments, the file of the documents that are trusted.']
}
