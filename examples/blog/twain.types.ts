// Made by: twain types schema.graphql
// Do not edit it; run that again when the schema has changed.

import type { AppliedWrite, CommittedChange, Context as AnyContext, FieldFilter, PendingWrite, RowReader, RowWriter } from 'twain'

export type Role = 'READER' | 'AUTHOR' | 'EDITOR'

export type PostStatus = 'DRAFT' | 'IN_REVIEW' | 'PUBLISHED' | 'ARCHIVED'

export interface Link {
  label: string
  url: string
}

export interface Seo {
  title: string | null
  description: string | null
  keywords: readonly (string)[]
}

export interface LinkAnswer {
  label: string
  url: string
}

export interface SeoAnswer {
  title?: string | null
  description?: string | null
  keywords: readonly (string | Error)[]
}

export interface UserRow {
  id: string
  handle: string
  name: string
  email: string | null
  bio: string | null
  role: Role
  links: readonly (Link)[]
  born: string | null
  homepage: string | null
  pinned: string | null
  joinedAt: string
}

export interface UserCreate {
  handle: string
  name: string
  email: string
  bio?: string | null
  role?: Role | null
  links?: readonly (Link)[] | null
  born?: string | null
  homepage?: string | null
  pinned?: string | null
  favourites?: readonly string[] | null
  password?: string
}

export interface UserUpdate {
  name?: string
  email?: string
  bio?: string | null
  role?: Role
  links?: readonly (Link)[]
  born?: string | null
  homepage?: string | null
  pinned?: string | null
  favourites?: readonly string[]
  password?: string
}

export interface UserWhere {
  id?: FieldFilter<string>
  handle?: FieldFilter<string>
  name?: FieldFilter<string>
  email?: FieldFilter<string>
  bio?: FieldFilter<string>
  role?: FieldFilter<Role>
  links?: FieldFilter<Link>
  born?: FieldFilter<string>
  homepage?: FieldFilter<string>
  pinned?: FavouriteWhere
  favourites?: { some?: FavouriteWhere; none?: FavouriteWhere }
  posts?: { some?: PostWhere; none?: PostWhere }
  photos?: { some?: PhotoWhere; none?: PhotoWhere }
  comments?: { some?: CommentWhere; none?: CommentWhere }
  joinedAt?: FieldFilter<string>
  and?: readonly UserWhere[]
  or?: readonly UserWhere[]
  not?: UserWhere
  isNull?: boolean
  isViewer?: boolean
}

export interface UserOrder {
  id?: 'ASC' | 'DESC'
  handle?: 'ASC' | 'DESC'
  name?: 'ASC' | 'DESC'
  email?: 'ASC' | 'DESC'
  bio?: 'ASC' | 'DESC'
  role?: 'ASC' | 'DESC'
  links?: 'ASC' | 'DESC'
  born?: 'ASC' | 'DESC'
  homepage?: 'ASC' | 'DESC'
  joinedAt?: 'ASC' | 'DESC'
}

export interface PostRow {
  id: string
  slug: string
  title: string
  body: string
  status: PostStatus
  author: string
  remarks: string | null
  seo: Seo | null
  words: number
  rating: number | null
  publishedAt: string | null
  createdAt: string
  updatedAt: string
}

export interface PostCreate {
  slug: string
  title: string
  body: string
  status?: PostStatus | null
  author?: string | null
  tags?: readonly string[] | null
  remarks?: string | null
  seo?: Seo | null
  words?: number | null
  rating?: number | null
  publishedAt?: string | null
}

export interface PostUpdate {
  title?: string
  body?: string
  status?: PostStatus
  tags?: readonly string[]
  remarks?: string | null
  seo?: Seo | null
  words?: number
  rating?: number | null
  publishedAt?: string | null
}

export interface PostWhere {
  id?: FieldFilter<string>
  slug?: FieldFilter<string>
  title?: FieldFilter<string>
  body?: FieldFilter<string>
  status?: FieldFilter<PostStatus>
  author?: UserWhere
  tags?: { some?: TagWhere; none?: TagWhere }
  comments?: { some?: CommentWhere; none?: CommentWhere }
  remarks?: FieldFilter<string>
  seo?: { title?: FieldFilter<unknown>; description?: FieldFilter<unknown>; keywords?: FieldFilter<unknown>; isNull?: boolean }
  words?: FieldFilter<number>
  rating?: FieldFilter<number>
  publishedAt?: FieldFilter<string>
  createdAt?: FieldFilter<string>
  updatedAt?: FieldFilter<string>
  and?: readonly PostWhere[]
  or?: readonly PostWhere[]
  not?: PostWhere
  isNull?: boolean
  isViewer?: boolean
}

export interface PostOrder {
  id?: 'ASC' | 'DESC'
  slug?: 'ASC' | 'DESC'
  title?: 'ASC' | 'DESC'
  body?: 'ASC' | 'DESC'
  status?: 'ASC' | 'DESC'
  remarks?: 'ASC' | 'DESC'
  seo?: 'ASC' | 'DESC'
  words?: 'ASC' | 'DESC'
  rating?: 'ASC' | 'DESC'
  publishedAt?: 'ASC' | 'DESC'
  createdAt?: 'ASC' | 'DESC'
  updatedAt?: 'ASC' | 'DESC'
}

export interface PhotoRow {
  id: string
  title: string
  url: string
  picture: string | null
  takenOn: string | null
  by: string
}

export interface PhotoCreate {
  title: string
  url: string
  picture?: string | null
  takenOn?: string | null
  by?: string | null
}

export interface PhotoUpdate {
  title?: string
  url?: string
  picture?: string | null
  takenOn?: string | null
}

export interface PhotoWhere {
  id?: FieldFilter<string>
  title?: FieldFilter<string>
  url?: FieldFilter<string>
  picture?: FieldFilter<string>
  takenOn?: FieldFilter<string>
  by?: UserWhere
  comments?: { some?: CommentWhere; none?: CommentWhere }
  and?: readonly PhotoWhere[]
  or?: readonly PhotoWhere[]
  not?: PhotoWhere
  isNull?: boolean
  isViewer?: boolean
}

export interface PhotoOrder {
  id?: 'ASC' | 'DESC'
  title?: 'ASC' | 'DESC'
  url?: 'ASC' | 'DESC'
  takenOn?: 'ASC' | 'DESC'
}

export interface CommentRow {
  id: string
  body: string
  author: string
  on: string | null
  parent: string | null
  createdAt: string
}

export interface CommentCreate {
  body: string
  author?: string | null
  on: string
  parent?: string | null
}

export interface CommentUpdate {
  body?: string
  parent?: string | null
}

export interface CommentWhere {
  id?: FieldFilter<string>
  body?: FieldFilter<string>
  author?: UserWhere
  on?: CommentableWhere
  parent?: CommentWhere
  replies?: { some?: CommentWhere; none?: CommentWhere }
  createdAt?: FieldFilter<string>
  and?: readonly CommentWhere[]
  or?: readonly CommentWhere[]
  not?: CommentWhere
  isNull?: boolean
  isViewer?: boolean
}

export interface CommentOrder {
  id?: 'ASC' | 'DESC'
  body?: 'ASC' | 'DESC'
  createdAt?: 'ASC' | 'DESC'
}

export interface TagRow {
  id: string
  name: string
  description: string | null
}

export interface TagCreate {
  name: string
  description?: string | null
  posts?: readonly string[] | null
}

export interface TagUpdate {
  name?: string
  description?: string | null
  posts?: readonly string[]
}

export interface TagWhere {
  id?: FieldFilter<string>
  name?: FieldFilter<string>
  description?: FieldFilter<string>
  posts?: { some?: PostWhere; none?: PostWhere }
  and?: readonly TagWhere[]
  or?: readonly TagWhere[]
  not?: TagWhere
  isNull?: boolean
  isViewer?: boolean
}

export interface TagOrder {
  id?: 'ASC' | 'DESC'
  name?: 'ASC' | 'DESC'
  description?: 'ASC' | 'DESC'
}

export interface CommentableWhere {
  id?: FieldFilter<string>
  title?: FieldFilter<string>
  comments?: { some?: CommentWhere; none?: CommentWhere }
  and?: readonly CommentableWhere[]
  or?: readonly CommentableWhere[]
  not?: CommentableWhere
  isNull?: boolean
  isViewer?: boolean
}

export interface FavouriteWhere {
  id?: FieldFilter<string>
  and?: readonly FavouriteWhere[]
  or?: readonly FavouriteWhere[]
  not?: FavouriteWhere
  isNull?: boolean
  isViewer?: boolean
}

export interface Read {
  User: RowReader<UserRow, UserWhere, UserOrder>
  Post: RowReader<PostRow, PostWhere, PostOrder>
  Photo: RowReader<PhotoRow, PhotoWhere, PhotoOrder>
  Comment: RowReader<CommentRow, CommentWhere, CommentOrder>
  Tag: RowReader<TagRow, TagWhere, TagOrder>
}

export interface Write {
  User: RowWriter<UserRow, UserCreate, UserUpdate>
  Post: RowWriter<PostRow, PostCreate, PostUpdate>
  Photo: RowWriter<PhotoRow, PhotoCreate, PhotoUpdate>
  Comment: RowWriter<CommentRow, CommentCreate, CommentUpdate>
  Tag: RowWriter<TagRow, TagCreate, TagUpdate>
}

export type Context = AnyContext<Read, Write>

/** What `defineService<Service>` wants. */
export interface Service {
  resolvers: {
    Post: {
      excerpt(rows: readonly Pick<PostRow, 'id' | 'body'>[], args: { length: number }, context: Context): readonly (string | Error)[] | Promise<readonly (string | Error)[]>
      readingMinutes(rows: readonly Pick<PostRow, 'id' | 'body'>[], args: {}, context: Context): readonly (number | Error)[] | Promise<readonly (number | Error)[]>
    }
    Query: {
      topAuthors(args: { limit: number }, context: Context): readonly (string | { readonly id: string })[] | Promise<readonly (string | { readonly id: string })[]>
    }
  }
  before?: {
    User?(told: PendingWrite<UserRow>, context: Context): unknown
    Post?(told: PendingWrite<PostRow>, context: Context): unknown
    Photo?(told: PendingWrite<PhotoRow>, context: Context): unknown
    Comment?(told: PendingWrite<CommentRow>, context: Context): unknown
    Tag?(told: PendingWrite<TagRow>, context: Context): unknown
  }
  after?: {
    User?(told: AppliedWrite<UserRow>, context: Context): unknown
    Post?(told: AppliedWrite<PostRow>, context: Context): unknown
    Photo?(told: AppliedWrite<PhotoRow>, context: Context): unknown
    Comment?(told: AppliedWrite<CommentRow>, context: Context): unknown
    Tag?(told: AppliedWrite<TagRow>, context: Context): unknown
  }
  on?: {
    User?(told: CommittedChange<UserRow>, context: Context): unknown
    Post?(told: CommittedChange<PostRow>, context: Context): unknown
    Photo?(told: CommittedChange<PhotoRow>, context: Context): unknown
    Comment?(told: CommittedChange<CommentRow>, context: Context): unknown
    Tag?(told: CommittedChange<TagRow>, context: Context): unknown
  }
}
