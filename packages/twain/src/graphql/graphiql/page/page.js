// GraphiQL on its page: requests to this server with the token of the field, and the examples of the contract, as first tabs
// and beside the editor.

const { React, ReactDOM, GraphiQL } = window
const { createElement: make } = React
const { name, examples } = JSON.parse(document.querySelector('#shown').textContent)

// The token stays for as long as the tab does.
const token = document.querySelector('#token')
token.value = sessionStorage.getItem('twain:token') ?? ''
token.addEventListener('input', () => sessionStorage.setItem('twain:token', token.value))

const at = `${location.origin}${location.pathname}`

/** Made anew for each request, since the token may be another by now. */
function fetcher(asked, options) {
  const given = token.value.trim().replace(/^Bearer\s+/i, '')
  const headers = given === '' ? {} : { authorization: `Bearer ${given}` }
  return GraphiQL.createFetcher({
    url: at,
    headers,
    subscriptionUrl: at.replace(/^http/, 'ws'),
    wsConnectionParams: headers,
  })(asked, options)
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
    storage: GraphiQL.createLocalStorage({ namespace: `twain:${name}` }), // services that share an address share no tabs
  }),
)
