import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { Route, Router, Switch } from 'wouter'
import { Refusal, serviceUrl } from './api/client.js'
import { point, withPoint } from './api/point.js'
import type { RecordName } from './api/records.js'
import { SessionBar } from './login/session-bar.js'
import { FailureBoundary } from './parts/failure-boundary.js'
import { PageFrame } from './parts/page-frame.js'
import { listenForSearchKey } from './parts/search-key.js'
import { words } from './words.js'

/*
 * The entry of the application. Each page is a script of its own, which is loaded when the page is opened.
 */

const SearchPage = lazy(async () => ({ default: (await import('./pages/search-page.js')).SearchPage }))
const ChangesPage = lazy(async () => ({ default: (await import('./pages/changes-page.js')).ChangesPage }))
const DraftsPage = lazy(async () => ({ default: (await import('./pages/drafts-page.js')).DraftsPage }))
const NewPage = lazy(async () => ({ default: (await import('./pages/new-page.js')).NewPage }))
const LoginPage = lazy(async () => ({ default: (await import('./pages/login-page.js')).LoginPage }))
const CallbackPage = lazy(async () => ({
  default: (await import('./pages/callback-page.js')).CallbackPage,
}))
const SchemaNewPage = lazy(async () => ({
  default: (await import('./pages/schema-new-page.js')).SchemaNewPage,
}))
/** Pages of schemas only. */
const schemaPages = {
  edit: lazy(async () => ({ default: (await import('./pages/schema-edit-page.js')).SchemaEditPage })),
  impact: lazy(async () => ({ default: (await import('./pages/impact-page.js')).ImpactPage })),
}
const UploadPage = lazy(async () => ({ default: (await import('./upload/upload-page.js')).UploadPage }))
const pages = {
  versions: lazy(async () => ({ default: (await import('./pages/versions-page.js')).VersionsPage })),
  compare: lazy(async () => ({ default: (await import('./pages/compare-page.js')).ComparePage })),
  blame: lazy(async () => ({ default: (await import('./pages/blame-page.js')).BlamePage })),
  edit: lazy(async () => ({ default: (await import('./pages/edit-page.js')).EditPage })),
  access: lazy(async () => ({ default: (await import('./pages/access-page.js')).AccessPage })),
  restore: lazy(async () => ({ default: (await import('./pages/restore-page.js')).RestorePage })),
}

/** Pages that change something: at a point of history there are none. */
const changing: ReadonlySet<string> = new Set(['edit', 'restore', 'access'])

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      // A refusal stays a refusal. A lost connection may come back.
      retry: (failures, error) => !(error instanceof Refusal) && failures < 2,
    },
  },
})

function Application() {
  return (
    <QueryClientProvider client={queries}>
      <Router
        base={`${serviceUrl.pathname}app`}
        // All links of a view lead to the same point of history.
        hrefs={withPoint}
        aroundNav={(navigate, to, options) => navigate(withPoint(to), options)}
      >
        <SessionBar />
        <FailureBoundary>
          <Suspense fallback={<p role="status">{words.loading}</p>}>
            <Switch>
              <Route path="/schemas/new">{point === undefined ? <SchemaNewPage /> : <Unchangeable />}</Route>
              {Object.entries(schemaPages).map(([name, Page]) => (
                <Route key={name} path={`/schemas/:id/${name}`}>
                  {({ id }) => {
                    if (point !== undefined) return <Unchangeable />
                    return id !== undefined && <Page key={id} collection="schemas" id={id} />
                  }}
                </Route>
              ))}
              {Object.entries(pages).map(([name, Page]) => (
                <Route key={name} path={`/:collection/:id/${name}`}>
                  {params => {
                    const record = recordNamed(params)
                    if (point !== undefined && changing.has(name)) return <Unchangeable />
                    return record ? (
                      <Page key={`${record.collection} ${record.id}`} {...record} />
                    ) : (
                      <Missing />
                    )
                  }}
                </Route>
              ))}
              <Route path="/new">{point === undefined ? <NewPage /> : <Unchangeable />}</Route>
              <Route path="/search">
                <SearchPage />
              </Route>
              <Route path="/changes">
                <ChangesPage />
              </Route>
              <Route path="/upload">{point === undefined ? <UploadPage /> : <Unchangeable />}</Route>
              <Route path="/drafts">
                <DraftsPage />
              </Route>
              <Route path="/login">
                <LoginPage />
              </Route>
              <Route path="/callback">
                <CallbackPage />
              </Route>
              <Route>
                <Missing />
              </Route>
            </Switch>
          </Suspense>
        </FailureBoundary>
      </Router>
    </QueryClientProvider>
  )
}

/** The record in an address; undefined if there is no such page. */
function recordNamed({ collection, id }: Partial<Readonly<Record<string, string>>>): RecordName | undefined {
  if (id === undefined || (collection !== 'metadata' && collection !== 'schemas')) return undefined
  return { collection, id }
}

function Missing() {
  return (
    <PageFrame title={words.missing.title}>
      <p>{words.missing.text}</p>
      <p>
        <a href={new URL('dashboard', serviceUrl).href}>{words.toDashboard}</a>
      </p>
    </PageFrame>
  )
}

function Unchangeable() {
  return (
    <PageFrame title={words.point.unchangeable}>
      <p>{words.point.why}</p>
    </PageFrame>
  )
}

const place = document.getElementById('application')
if (!place) throw new Error('The document has no place for the application.')
render(<Application />, place)
listenForSearchKey()
