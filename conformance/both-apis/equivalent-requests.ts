// Equivalent requests: a REST request, and the GraphQL document that asks for the same.

export type Rest = [method: string, path: string, body?: unknown, headers?: Record<string, string>]
export type Graphql = [query: string, variables?: unknown]

/** `$post`, `$user`, `$tag` stand for ids of rows of the seed. */
export const reads: [rest: Rest, graphql: Graphql][] = [
  // ------------------------------------------------------------ one row
  [['GET', '/tags/$tag'], ['{ tag(id: "$tag") { id name description } }']],
  [
    ['GET', '/tags/$tag?fields=name'],
    ['query ($id: ID!) { tag(id: $id) { name } }', { id: '$tag' }],
  ],
  [['GET', '/posts/$post?fields=title,id'], ['{ post(id: "$post") { title id } }']],
  [['GET', '/posts/$post?fields=author.name'], ['{ post(id: "$post") { author { name } } }']],
  [
    ['GET', '/posts/$post?fields=id,author.id,author.links.url'],
    ['{ post(id: "$post") { id author { id links { url } } } }'],
  ],
  [['GET', '/posts/$post?fields=seo'], ['{ post(id: "$post") { seo { title description keywords } } }']],
  [['GET', '/posts/$post?fields=seo.keywords,seo.title'], ['{ post(id: "$post") { seo { keywords title } } }']],
  [['GET', '/posts/$post?fields=tags.name'], ['{ post(id: "$post") { tags { name } } }']],
  [
    ['GET', '/posts/$post?fields=comments.body,comments.author.name'],
    ['{ post(id: "$post") { comments { body author { name } } } }'],
  ],
  [['GET', '/posts/$post?fields=id,_version'], ['{ post(id: "$post") { id _version } }']],
  [
    ['GET', '/posts/$post?fields=title,excerpt,readingMinutes'],
    ['{ post(id: "$post") { title excerpt readingMinutes } }'],
  ],
  [['GET', '/posts?limit=2&fields=excerpt,author.name'], ['{ posts(limit: 2) { excerpt author { name } } }']],
  [['GET', '/posts/nothing?fields=id'], ['{ post(id: "nothing") { id } }']],
  [
    ['GET', '/tags/name=gardens?fields=name,posts.title'],
    ['query ($key: TagKey!) { tagBy(key: $key) { name posts { title } } }', { key: { name: 'gardens' } }],
  ],
  [['GET', '/tags/name=nothing?fields=id'], ['{ tagBy(key: {name: "nothing"}) { id } }']],

  // ------------------------------------------------------------ pages
  [['GET', '/tags'], ['{ tags { id name description } }']],
  [['GET', '/tags?limit=3'], ['{ tags(limit: 3) { id name description } }']],
  [
    ['GET', '/tags?offset=2&limit=3'],
    ['query ($o: Int!, $l: Int!) { tags(offset: $o, limit: $l) { id name description } }', { o: 2, l: 3 }],
  ],
  [['GET', '/tags?limit=0&fields=id'], ['{ tags(limit: 0) { id } }']],
  [
    ['GET', '/tags?first=4&fields=name'],
    ['{ tagsConnection(first: 4) { edges { node { name } cursor } pageInfo { hasNextPage endCursor } } }'],
  ],
  [
    ['GET', '/posts?first=3&sort=-rating&fields=id,rating'],
    [
      '{ postsConnection(first: 3, orderBy: [{rating: DESC}]) { edges { node { id rating } cursor } pageInfo { hasNextPage endCursor } } }',
    ],
  ],
  [
    ['GET', '/posts?first=3&after=$cursor&sort=-rating&fields=id'],
    [
      'query ($after: String) { postsConnection(first: 3, after: $after, orderBy: [{rating: DESC}]) { edges { node { id } cursor } pageInfo { hasNextPage endCursor } } }',
      { after: '$cursor' },
    ],
  ],

  // ------------------------------------------------------------ search
  [
    ['GET', '/posts?search=harb&fields=id'],
    ['query ($s: String) { posts(search: $s) { id } }', { s: 'harb' }],
  ],
  [['GET', '/posts?search=&fields=id'], ['{ posts(search: "") { id } }']],
  [
    ['GET', '/posts?status=PUBLISHED&search=the+h&first=3&fields=id'],
    [
      '{ postsConnection(where: {status: {eq: PUBLISHED}}, search: "the h", first: 3) { edges { node { id } cursor } pageInfo { hasNextPage endCursor } } }',
    ],
  ],
  [['GET', '/commentables?search=harb&fields=id'], ['{ commentables(search: "harb") { id } }']],

  // ------------------------------------------------------------ order
  [['GET', '/posts?distinct=status&fields=id'], ['{ posts(distinct: status) { id } }']],
  [
    ['GET', '/posts?distinct=author,status&sort=-rating&first=3&fields=id'],
    [
      'query ($d: [PostDistinctField!]) { postsConnection(distinct: $d, first: 3, orderBy: [{rating: DESC}]) { edges { node { id } cursor } pageInfo { hasNextPage endCursor } } }',
      { d: ['author', 'status'] },
    ],
  ],
  [['GET', '/tags?sort=name'], ['{ tags(orderBy: [{name: ASC}]) { id name description } }']],
  [['GET', '/tags?sort=-name&fields=name'], ['{ tags(orderBy: {name: DESC}) { name } }']],
  [
    ['GET', '/posts?sort=-publishedAt,title&fields=title'],
    ['{ posts(orderBy: [{publishedAt: DESC}, {title: ASC}]) { title } }'],
  ],
  [
    ['GET', '/posts?sort=-id&fields=id'],
    ['query ($by: [PostOrder!]) { posts(orderBy: $by) { id } }', { by: [{ id: 'DESC' }] }],
  ],

  // ------------------------------------------------------------ filters
  [['GET', '/posts?status=DRAFT&fields=id'], ['{ posts(where: {status: {eq: DRAFT}}) { id } }']],
  [
    ['GET', '/posts?status[ne]=DRAFT&fields=id'],
    ['query ($w: PostWhere) { posts(where: $w) { id } }', { w: { status: { ne: 'DRAFT' } } }],
  ],
  [
    ['GET', '/posts?status[in]=DRAFT,ARCHIVED&fields=id'],
    ['{ posts(where: {status: {in: [DRAFT, ARCHIVED]}}) { id } }'],
  ],
  [['GET', '/posts?status[notIn]=PUBLISHED&fields=id'], ['{ posts(where: {status: {notIn: [PUBLISHED]}}) { id } }']],
  [['GET', '/posts?words[gte]=90&fields=words'], ['{ posts(where: {words: {gte: 90}}) { words } }']],
  [
    ['GET', '/posts?words[gt]=60&words[lt]=80&fields=words'],
    ['{ posts(where: {and: [{words: {gt: 60}}, {words: {lt: 80}}]}) { words } }'],
  ],
  [['GET', '/posts?words[between]=60,80&fields=words'], ['{ posts(where: {words: {between: [60, 80]}}) { words } }']],
  [
    ['GET', '/posts?rating[between]=1.5,3&fields=rating'],
    ['query ($r: [Float!]) { posts(where: {rating: {between: $r}}) { rating } }', { r: [1.5, 3] }],
  ],
  [
    ['GET', '/posts?title[between]=A,N&fields=title'],
    ['query ($to: String!) { posts(where: {title: {between: ["A", $to]}}) { title } }', { to: 'N' }],
  ],
  [
    ['GET', `/posts?where=${encodeURIComponent('{"not":{"rating":{"between":[2,4]}}}')}&fields=id`],
    ['{ posts(where: {not: {rating: {between: [2, 4]}}}) { id } }'],
  ],
  [
    ['GET', `/users?where=${encodeURIComponent('{"posts":{"every":{"status":{"eq":"PUBLISHED"}}}}')}&fields=name`],
    ['{ users(where: {posts: {every: {status: {eq: PUBLISHED}}}}) { name } }'],
  ],
  [
    [
      'GET',
      `/users?where=${encodeURIComponent('{"not":{"posts":{"every":{"rating":{"between":[1,5]}}}}}')}&fields=name`,
    ],
    ['{ users(where: {not: {posts: {every: {rating: {between: [1, 5]}}}}}) { name } }'],
  ],
  [['GET', '/posts?rating[lte]=2.5&fields=rating'], ['{ posts(where: {rating: {lte: 2.5}}) { rating } }']],
  [['GET', '/posts?rating[isNull]=true&fields=id'], ['{ posts(where: {rating: {isNull: true}}) { id } }']],
  [
    ['GET', '/posts?title[contains]=winter&fields=title'],
    ['{ posts(where: {title: {contains: "winter"}}) { title } }'],
  ],
  [
    ['GET', '/posts?title[startsWith]=Notes%20on&fields=title'],
    ['{ posts(where: {title: {startsWith: "Notes on"}}) { title } }'],
  ],
  [
    ['GET', '/posts?title[endsWith]=back&fields=title'],
    ['query ($t: String) { posts(where: {title: {endsWith: $t}}) { title } }', { t: 'back' }],
  ],
  [
    ['GET', '/posts?title[iendsWith]=B%C3%81CK&fields=title'],
    ['query ($t: String) { posts(where: {title: {iendsWith: $t}}) { title } }', { t: 'BÁCK' }],
  ],
  [
    ['GET', '/users?name[ieq]=SOFIA%20marchetti&fields=name'],
    ['{ users(where: {name: {ieq: "SOFIA marchetti"}}) { name } }'],
  ],
  [
    ['GET', '/posts?publishedAt[gte]=2026-01-01T00:00:00Z&fields=publishedAt'],
    ['{ posts(where: {publishedAt: {gte: "2026-01-01T00:00:00Z"}}) { publishedAt } }'],
  ],
  [['GET', '/users?born[lt]=1970-01-01&fields=born'], ['{ users(where: {born: {lt: "1970-01-01"}}) { born } }']],
  [['GET', '/posts?author=$user&fields=id'], ['{ posts(where: {author: {id: {eq: "$user"}}}) { id } }']],
  [
    ['GET', '/posts?author.name=Mei%20Tanaka&fields=id'],
    ['{ posts(where: {author: {name: {eq: "Mei Tanaka"}}}) { id } }'],
  ],
  [['GET', '/posts?tags=$tag&fields=id'], ['{ posts(where: {tags: {some: {id: {eq: "$tag"}}}}) { id } }']],
  [['GET', '/posts?tags.name=winter&fields=id'], ['{ posts(where: {tags: {some: {name: {eq: "winter"}}}}) { id } }']],
  [
    ['GET', '/posts?comments.body[contains]=ferry&fields=id'],
    ['{ posts(where: {comments: {some: {body: {contains: "ferry"}}}}) { id } }'],
  ],
  [
    ['GET', '/posts?seo.title[startsWith]=In&fields=seo.title'],
    ['{ posts(where: {seo: {title: {startsWith: "In"}}}) { seo { title } } }'],
  ],
  [['GET', '/comments?parent[isNull]=false&fields=id'], ['{ comments(where: {parent: {isNull: false}}) { id } }']],
  [
    [
      'GET',
      `/posts?where=${encodeURIComponent('{"or":[{"status":{"eq":"DRAFT"}},{"not":{"rating":{"gte":4}}}]}')}&fields=id`,
    ],
    ['{ posts(where: {or: [{status: {eq: DRAFT}}, {not: {rating: {gte: 4}}}]}) { id } }'],
  ],
  [
    [
      'GET',
      `/users?where=${encodeURIComponent('{"posts":{"none":{"tags":{"some":{"name":{"in":["birds","maps"]}}}}}}')}&fields=name`,
    ],
    [
      'query ($w: UserWhere) { users(where: $w) { name } }',
      { w: { posts: { none: { tags: { some: { name: { in: ['birds', 'maps'] } } } } } } },
    ],
  ],
  [
    ['GET', '/posts?status=PUBLISHED&author.name[startsWith]=I&sort=title&limit=5&fields=title,author.name'],
    [
      '{ posts(where: {and: [{status: {eq: PUBLISHED}}, {author: {name: {startsWith: "I"}}}]}, orderBy: {title: ASC}, limit: 5) { title author { name } } }',
    ],
  ],

  // ------------------------------------------------------------ over interfaces and unions
  [['GET', '/commentables?fields=id,title'], ['{ commentables { id title } }']],
  [
    ['GET', '/commentables?sort=-title&limit=7&fields=title'],
    ['{ commentables(orderBy: {title: DESC}, limit: 7) { title } }'],
  ],
  [
    ['GET', '/commentables?title[contains]=fog&fields=title'],
    ['{ commentables(where: {title: {contains: "fog"}}) { title } }'],
  ],
]

/** Reads of types that have files. */
/** Pages with the total number of rows: in REST a header. */
export const countedReads: [path: string, graphql: Graphql][] = [
  [
    '/tags?first=4&fields=name',
    ['{ tagsConnection(first: 4) { totalCount edges { node { name } cursor } pageInfo { hasNextPage endCursor } } }'],
  ],
  [
    '/posts?first=2&after=$cursor&sort=-rating&rating[gte]=1&fields=id',
    [
      'query ($min: Float) { postsConnection(first: 2, after: "$cursor", orderBy: [{rating: DESC}], where: {rating: {gte: $min}}) { totalCount edges { node { id } cursor } pageInfo { hasNextPage endCursor } } }',
      { min: 1 },
    ],
  ],
]

export const fileReads: [rest: Rest, graphql: Graphql][] = [
  [
    [
      'GET',
      '/photos?picture.size[gt]=0&fields=title,picture.id,picture.url,picture.name,picture.mediaType,picture.size',
    ],
    ['{ photos(where: {picture: {size: {gt: 0}}}) { title picture { id url name mediaType size } } }'],
  ],
  [
    ['GET', '/photos?picture[isNull]=false&fields=picture.name'],
    ['{ photos(where: {picture: {isNull: false}}) { picture { name } } }'],
  ],
]

/** Each is written twice, by REST and by GraphQL: the second write changes nothing but ids. */
export const writes: [rest: Rest, graphql: Graphql][] = [
  [
    ['PATCH', '/tags/name=gardens?fields=description', { description: 'Beds.' }],
    ['mutation { updateTagBy(key: {name: "gardens"}, description: "Beds.") { description } }'],
  ],
  [
    ['POST', '/tags?onConflict=name&fields=name,description', { name: 'upserted', description: 'One.' }],
    [
      'mutation ($c: CreateTagInput!) { upsertTag(key: {name: "upserted"}, create: $c) { name description } }',
      { c: { name: 'upserted', description: 'One.' } },
    ],
  ],
  [
    ['PUT', '/tags/name=upserted?fields=name,description', { name: 'upserted', description: 'Two.' }],
    [
      'mutation { replaceTagBy(key: {name: "upserted"}, input: {name: "upserted", description: "Two."}) { name description } }',
    ],
  ],
  [
    [
      'POST',
      '/photos?fields=title,comments.body',
      {
        title: 'Terns',
        url: 'https://example.org/t.jpg',
        by: '$user',
        comments: [
          { body: 'One.', author: '$user' },
          { body: 'Two.', author: '$user' },
        ],
      },
    ],
    [
      'mutation ($c: [CreatePhotoCommentsInput!]) { createPhoto(input: {title: "Terns", url: "https://example.org/t.jpg", by: "$user", comments: $c}) { title comments { body } } }',
      {
        c: [
          { body: 'One.', author: '$user' },
          { body: 'Two.', author: '$user' },
        ],
      },
    ],
  ],
  [
    ['POST', '/photos?fields=title,by.id', { title: 'Gulls', url: 'https://example.org/g.jpg', by: '$user' }],
    [
      'mutation ($input: CreatePhotoInput!) { createPhoto(input: $input) { title by { id } } }',
      { input: { title: 'Gulls', url: 'https://example.org/g.jpg', by: '$user' } },
    ],
  ],
  [
    ['PATCH', '/posts/$post?fields=title,rating', { title: 'Another title', rating: null }],
    ['mutation { updatePost(id: "$post", title: "Another title", rating: null) { title rating } }'],
  ],
  [
    [
      'PATCH',
      '/posts/$post?fields=tags.name',
      { _tags: { connect: ['$tag'], update: [{ id: '$tag', description: 'x' }] } },
    ],
    [
      'mutation { updatePost(id: "$post", _tags: {connect: ["$tag"], update: [{id: "$tag", description: "x"}]}) { tags { name } } }',
    ],
  ],
  [
    ['PATCH', '/posts/$post?fields=tags.name', { tags: ['$tag'] }],
    [
      'mutation ($input: UpdatePostInput) { updatePost(id: "$post", input: $input) { tags { name } } }',
      { input: { tags: ['$tag'] } },
    ],
  ],
  [
    ['PUT', '/tags/$tag', { name: 'renamed', description: null }],
    [
      'mutation ($input: CreateTagInput!) { replaceTag(id: "$tag", input: $input) { id name description } }',
      { input: { name: 'renamed', description: null } },
    ],
  ],
  [['DELETE', '/tags/nothing'], ['mutation { deleteTag(id: "nothing") { success } }']],
]

/** Both APIs refuse these with the same code, places and detail codes. */
export const refusals: [rest: Rest, graphql: Graphql][] = [
  [
    ['POST', '/photos', { title: 'Terns', comments: [{ body: 5 }, { text: 'x' }] }],
    [
      'mutation ($input: CreatePhotoInput!) { createPhoto(input: $input) { id } }',
      { input: { title: 'Terns', comments: [{ body: 5 }, { text: 'x' }] } },
    ],
  ],
  [
    ['POST', '/posts', { slug: 'No Capitals', title: 'x', words: 1.5, rating: 9, author: 7, colour: 'red' }],
    [
      'mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }',
      { input: { slug: 'No Capitals', title: 'x', words: 1.5, rating: 9, author: 7, colour: 'red' } },
    ],
  ],
  [['PATCH', '/users/$user', { pinned: 'nobody' }], ['mutation { updateUser(id: "$user", pinned: "nobody") { id } }']],
  [
    ['PATCH', '/posts/$post', { _increment: { words: 0 } }],
    ['mutation { updatePost(id: "$post", _increment: {words: 0}) { id } }'],
  ],
  [
    ['PATCH', '/posts/$post', { _tags: { disconnect: ['nothing'] } }],
    ['mutation { updatePost(id: "$post", _tags: {disconnect: ["nothing"]}) { id } }'],
  ],
  [
    ['PATCH', '/posts/$post', { title: null }],
    [
      'mutation ($input: UpdatePostInput) { updatePost(id: "$post", input: $input) { id } }',
      { input: { title: null } },
    ],
  ],
  [
    ['PATCH', '/posts/nothing', { title: 'Some title' }],
    ['mutation { updatePost(id: "nothing", title: "Some title") { id } }'],
  ],
  [['POST', '/tags', { name: 'maps' }], ['mutation { createTag(input: {name: "maps"}) { id } }']],
  [
    ['POST', '/users', { handle: 'someone', name: 'Some One', email: 'not an address', links: [{ label: 'x' }] }],
    [
      'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }',
      { input: { handle: 'someone', name: 'Some One', email: 'not an address', links: [{ label: 'x' }] } },
    ],
  ],
  [['DELETE', '/users/$user'], ['mutation { deleteUser(id: "$user") { success } }']],
]
