/** The errors of the protocol. @see https://www.openarchives.org/OAI/openarchivesprotocol.html#ErrorConditions */
export type HarvestErrorCode =
  | 'badArgument'
  | 'badResumptionToken'
  | 'badVerb'
  | 'cannotDisseminateFormat'
  | 'idDoesNotExist'
  | 'noRecordsMatch'
  | 'noMetadataFormats'
  | 'noSetHierarchy'

/** An error of the protocol. The answer that contains it has the status 200. */
export class HarvestError extends Error {
  override readonly name = 'HarvestError'

  constructor(
    readonly code: HarvestErrorCode,
    message: string,
  ) {
    super(message)
  }
}
