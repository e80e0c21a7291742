/** Name and version of this program. */
export interface ProgramInfo {
  readonly name: string
  readonly version?: string
}
