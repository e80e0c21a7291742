import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ComponentType, render } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { Link, Route, Router, Switch, useLocation } from 'wouter'
import { Refusal, serviceUrl } from './api/client.js'
import { point, withPoint } from './api/point.js'
import type { RecordName } from './api/records.js'
import { ConnectionBar } from './failures/connection-bar.js'
import { SessionBar } from './login/session-bar.js'
import { ApplicationBar } from './parts/application-bar.js'
import { FailureBoundary } from './parts/failure-boundary.js'
import { listenForKeys } from './parts/letter-keys.js'
import { PageFrame } from './parts/page-frame.js'
import { words } from './words.js'

/*
 * The entry of the application. Each page is a script of its own, which is loaded when the page is opened.
 */

interface PlainPage {
  readonly Page: ComponentType
  /** It changes something: at a point of history there is no such page. */
  readonly changes?: boolean
}

/** Pages that are about no single record, by their paths. */
const plainPages: Readonly<Record<string, PlainPage>> = {
  search: { Page: lazy(async () => ({ default: (await import('./pages/search-page.js')).SearchPage })) },
  changes: { Page: lazy(async () => ({ default: (await import('./pages/changes-page.js')).ChangesPage })) },
  drafts: { Page: lazy(async () => ({ default: (await import('./pages/drafts-page.js')).DraftsPage })) },
  login: { Page: lazy(async () => ({ default: (await import('./pages/login-page.js')).LoginPage })) },
  callback: {
    Page: lazy(async () => ({ default: (await import('./pages/callback-page.js')).CallbackPage })),
  },
  new: {
    changes: true,
    Page: lazy(async () => ({ default: (await import('./pages/new-page.js')).NewPage })),
  },
  upload: {
    changes: true,
    Page: lazy(async () => ({ default: (await import('./upload/upload-page.js')).UploadPage })),
  },
  'schemas/new': {
    changes: true,
    Page: lazy(async () => ({ default: (await import('./pages/schema-new-page.js')).SchemaNewPage })),
  },
}

interface RecordPage {
  readonly Page: ComponentType<RecordName>
  readonly changes?: boolean
}

/** Pages of a record, by the ends of their paths. */
const recordPages: Readonly<Record<string, RecordPage>> = {
  '': { Page: lazy(async () => ({ default: (await import('./reading/record-page.js')).RecordPage })) },
  versions: {
    Page: lazy(async () => ({ default: (await import('./pages/versions-page.js')).VersionsPage })),
  },
  compare: { Page: lazy(async () => ({ default: (await import('./pages/compare-page.js')).ComparePage })) },
  blame: { Page: lazy(async () => ({ default: (await import('./pages/blame-page.js')).BlamePage })) },
  edit: {
    changes: true,
    Page: lazy(async () => ({ default: (await import('./pages/edit-page.js')).EditPage })),
  },
  access: {
    changes: true,
    Page: lazy(async () => ({ default: (await import('./pages/access-page.js')).AccessPage })),
  },
  restore: {
    changes: true,
    Page: lazy(async () => ({ default: (await import('./pages/restore-page.js')).RestorePage })),
  },
}

/** Pages of a schema, which has some in place of those of every record. */
const schemaPages: Readonly<Record<string, RecordPage>> = {
  ...recordPages,
  edit: {
    changes: true,
    Page: lazy(async () => ({ default: (await import('./pages/schema-edit-page.js')).SchemaEditPage })),
  },
  impact: {
    changes: true,
    Page: lazy(async () => ({ default: (await import('./pages/impact-page.js')).ImpactPage })),
  },
}

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
        <ApplicationBar />
        <SessionBar />
        <ConnectionBar />
        <FailureBoundary>
          <Suspense fallback={<p role="status">{words.loading}</p>}>
            <Switch>
              {Object.entries(plainPages).map(([path, { Page, changes = false }]) => (
                <Route key={path} path={`/${path}`}>
                  {changes && point !== undefined ? <Unchangeable /> : <Page />}
                </Route>
              ))}
              <Route path="/:collection/:id/:page?">{params => <PageOfRecord {...params} />}</Route>
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

/** The page of a record that an address names. */
function PageOfRecord({ collection, id = '', page = '' }: Partial<Readonly<Record<string, string>>>) {
  if (collection !== 'metadata' && collection !== 'schemas') return <Missing />
  const pages = collection === 'schemas' ? schemaPages : recordPages
  const found = Object.hasOwn(pages, page) ? pages[page] : undefined
  if (!found) return <Missing />
  const { Page, changes = false } = found
  if (changes && point !== undefined) return <Unchangeable />
  return <Page key={`${page} ${collection} ${id}`} {...{ collection, id }} />
}

function Missing() {
  const [place] = useLocation()
  const name = decodeURIComponent(place.split('/').at(-1) ?? '')
  return (
    <PageFrame title={words.missing.title}>
      <p>{words.missing.text}</p>
      <p>
        <Link href={`/search?q=${encodeURIComponent(name)}`}>{words.failure.search(name)}</Link>
      </p>
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
listenForKeys()
