// The script of the GraphiQL page: it sends requests to this server with the token of the field, and shows the example documents
// as the first tabs and beside the editor.

const { React, ReactDOM, GraphiQL } = window
const { createElement: make } = React
const { name, examples } = JSON.parse(document.querySelector('#page-data').textContent)

// The token stays as long as the browser tab.
const token = document.querySelector('#token')
token.value = sessionStorage.getItem('twain:token') ?? ''
token.addEventListener('input', () => sessionStorage.setItem('twain:token', token.value))

const url = `${location.origin}${location.pathname}`

/** Created for each request, since the token may have changed. */
function fetcher(params, options) {
  const bearer = token.value.trim().replace(/^Bearer\s+/i, '')
  const headers = bearer === '' ? {} : { authorization: `Bearer ${bearer}` }
  return GraphiQL.createFetcher({
    url,
    headers,
    subscriptionUrl: url.replace(/^http/, 'ws'),
    wsConnectionParams: headers,
  })(params, options)
}

const icon = () =>
  make(
    'svg',
    { viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 },
    make('path', { d: 'M5 4h14v16H5zM8 8h8M8 12h8M8 16h5' }),
  )

function Examples() {
  const { addTab, queryEditor, variableEditor } = GraphiQL.React.useEditorContext({ nonNull: true })
  const open = ({ query, variables }) => {
    addTab()
    setTimeout(() => {
      queryEditor?.setValue(query)
      variableEditor?.setValue(variables)
    })
  }
  return make(
    'section',
    { 'aria-label': 'Examples' },
    make('div', { className: 'graphiql-doc-explorer-title' }, 'Examples'),
    ...examples.map((example) =>
      make('button', { key: example.title, type: 'button', className: 'example', onClick: () => open(example) }, [
        example.title,
      ]),
    ),
  )
}

ReactDOM.createRoot(document.querySelector('#graphiql')).render(
  make(GraphiQL, {
    fetcher,
    plugins: [{ title: 'Examples', icon, content: Examples }],
    defaultTabs: examples.map(({ query, variables }) => ({ query, variables })),
    defaultEditorToolsVisibility: 'variables',
    inputValueDeprecation: true,
    schemaDescription: true,
    storage: GraphiQL.createLocalStorage({ namespace: `twain:${name}` }), // services on the same origin do not share tabs
  }),
)
