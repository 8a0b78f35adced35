// The two versions that are rolled. The second adds what an older node does not know: a field with a default, one that is searched, one
// that the server sets, a list of files, and a type whose rows require notes.

export const schemas = [
  `type Note @allow {
  id: ID!
  text: String! @search
  count: Int!
  folder: Folder @relation(onDelete: RESTRICT)
  picture: File
}

type Folder @allow {
  id: ID!
  name: String!
  notes: [Note!]!
}
`,
  `type Note @allow {
  id: ID!
  text: String! @search
  count: Int!
  folder: Folder @relation(onDelete: RESTRICT)
  picture: File
  summary: String @search
  stars: Int! @default(value: 3)
  changed: DateTime! @auto(set: UPDATE_TIME)
  scans: [File!]!
  comments: [Comment!]!
}

type Folder @allow {
  id: ID!
  name: String!
  notes: [Note!]!
}

type Comment @allow {
  id: ID!
  note: Note!
  text: String! @search
}
`,
] as const
