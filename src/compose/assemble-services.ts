import { randomUUID } from 'node:crypto'
import type { Catalog } from '../catalog/catalog.js'
import { openUnservedPointReader } from '../catalog/other-branches/point-reader.js'
import { publicSubjects, selfPrincipal } from '../core/access-control.js'
import { ProblemError } from '../core/problem.js'
import type { Revision } from '../core/records/revision.js'
import type { Id } from '../core/value-types.js'
import { openChangeSets } from '../service/change-sets/apply-change-set.js'
import { watchAbandonedEdits } from '../service/manual-edits/abandoned-edits.js'
import { openUndoneUpdates } from '../service/manual-edits/report-undone-updates.js'
import { openDiskSpace } from '../service/operations/disk-space.js'
import type { OperationHooks } from '../service/operations/feature-hooks.js'
import { openGauges } from '../service/operations/gauges.js'
import { openHealth } from '../service/operations/health-check.js'
import { openRecordsAtPoint } from '../service/points/read-at-point.js'
import { openPointResolver } from '../service/points/resolve-point.js'
import { openRecordLog } from '../service/record-history/record-log.js'
import { openContentInformation } from '../service/records/document-information.js'
import { openPages } from '../service/records/page-reader.js'
import { openMetadata, openNewestReader } from '../service/records/record-collection.js'
import { openSchemas } from '../service/records/schema-collection.js'
import type { RecordHooks } from '../service/rules/record-hooks.js'
import type { Services } from '../service/services.js'
import { openMetadataPreparer } from '../service/updates/prepare-metadata.js'
import { openSchemaPreparer } from '../service/updates/prepare-schema.js'
import { openCommittedBase } from '../service/updates/prepared-update.js'
import { openTransactions, type Transactions } from '../service/updates/submit-update.js'
import { openBlobSizeReader } from '../store/blobs/blob-sizes.js'
import { readRef } from '../store/refs/read-refs.js'
import { readMetastoreFile } from '../store/repository/metastore-json.js'
import type { Repository } from '../store/repository/open-repository.js'
import type { Writer } from '../store/write/writer-interface.js'
import type { Connection, OnClose, PartOptions, Parts } from './open-parts.js'

type OpenServices = Omit<Services, 'close'>

/** Opens the services over the parts of a repository. Starts the background work of a server. */
export function assembleServices(
  options: PartOptions,
  parts: Parts,
  onClose: OnClose,
  features: readonly (OperationHooks & RecordHooks)[],
): { readonly services: OpenServices; readonly transactions: Transactions } {
  const { report, serving = false } = options
  const { repository, connection, catalog, writer } = parts
  if (serving) onClose(watchAbandonedEdits({ repository, writer, report }).close)
  const transactions = openTransactions(catalog, writerFor(writer, connection))
  const records = openRecordServices(parts, transactions, onClose, features)
  const services = {
    ...records,
    ...openOperations(parts, features),
    isBehind: () => catalog.writer.lastUpdateFailed && !isAtHead(repository, catalog),
    workTreeUpToDate: () => writer.settled(),
  }
  const { refusal } = connection ?? {}
  return { services: refusal ? refuseUpdates(services, refusal) : services, transactions }
}

/** The writer that updates use: it refuses them, or reads the log first, where that is necessary. */
function writerFor(writer: Writer, { refusal, log }: Connection = {}): Writer {
  // It still follows the branch.
  if (refusal) return { ...writer, write: () => Promise.reject(refusal()) }
  // Before preconditions are checked, the newest commits of the log are read.
  return log ? { ...writer, catchUp: writer.synchronize } : writer
}

/** Services that refuse every update before anything is checked. */
function refuseUpdates(services: OpenServices, refusal: () => ProblemError): OpenServices {
  const refuse = () => Promise.reject(refusal())
  const { schema, metadata } = services.collections
  const changes = { create: refuse, revise: refuse }
  const updates = { demandChangeable: refuse, ...changes, dryRun: changes, remove: refuse }
  return {
    ...services,
    collections: {
      schema: { ...schema, ...updates },
      metadata: { ...metadata, ...updates },
    },
    changeSets: { apply: refuse },
  }
}

/** Opens the services that read and change records. */
function openRecordServices(
  parts: Parts,
  transactions: Transactions,
  onClose: OnClose,
  features: readonly RecordHooks[],
) {
  const { repository, validator, documents, bundles, checkRules, catalog } = parts
  const { objects, history, gitDir, branch } = repository
  const { chain, head, committed } = catalog
  const past = openRecordsAtPoint({
    committed,
    points: openPointResolver({ gitDir, branch, chain, head, objects, history }),
    unserved: openUnservedPointReader({ objects, history, committed, checkRules, chain }),
  })
  const shared = { transactions, documents, bundles, validator }
  const base = openCommittedBase(transactions, bundles)
  const updates = {
    schema: openSchemaPreparer({ ...shared, committed, features }),
    metadata: openMetadataPreparer(shared),
  }
  const about = async () => readMetastoreFile(repository.dir, await repository.head(), objects, history)
  const newId = () => randomUUID() as string as Id
  const collections = {
    schema: openSchemas({ ...shared, committed: base, updates: updates.schema, past }),
    metadata: openMetadata({ transactions, committed: base, updates: updates.metadata, newId }),
  }
  const pages = openPages({ catalog, past, collections })
  const sizes = openBlobSizeReader(repository.git, gitDir, documents)
  onClose(sizes.close)
  return {
    collections,
    pages,
    about,
    blobSize: sizes.size,
    past,
    readNewest: openNewestReader(catalog),
    readDocument: (revision: Revision) => documents.read(revision.document),
    contentInformation: openContentInformation({ committed, blobSize: sizes.size, history }),
    changeSets: openChangeSets({ transactions, committed: base, updates, newId }),
  }
}

/** Opens the services about the whole repository: the log of records, health, gauges. */
function openOperations(parts: Parts, features: readonly OperationHooks[]) {
  const { repository, validator, documents, catalog, writer } = parts
  const { committed } = catalog
  const space = openDiskSpace(repository)
  const undone = openUndoneUpdates(repository.ownDir, catalog.neighbours, catalog.head)
  return {
    audit: openRecordLog({ committed, repository, documents }),
    health: openHealth({
      ...{ repository, catalog, writer, documents },
      features,
      undone,
    }),
    accessListsOfOthers: () => committed.countSharedWithOthers([selfPrincipal.sid, ...publicSubjects]),
    space,
    gauges: openGauges({ repository, catalog, writer, validator, space, features }),
  }
}

/** Whether the catalog has read the branch up to its head. False if the branch cannot be read. */
function isAtHead({ gitDir, branch }: Repository, catalog: Catalog): boolean {
  try {
    return readRef(gitDir, branch) === catalog.head()
  } catch (error) {
    if (error instanceof RangeError || error instanceof ProblemError) return false
    throw error
  }
}
