// The frames of synaps@1. Generated from its schemas by clients/generate.

/**
 * A frame of either side.
 */
export type Frame = Event | Command;
/**
 * What the agent sends.
 */
export type Event =
  | ReadyEvent
  | MessageUpdateEvent
  | SubagentStartEvent
  | SubagentUpdateEvent
  | SubagentDoneEvent
  | AgentEndEvent
  | ResponseEvent
  | ErrorEvent;
/**
 * One step of the assistant's stream; its kind is the type of its event
 */
export type MessageUpdateEvent =
  | MessageUpdateTextDeltaEvent
  | MessageUpdateThinkingDeltaEvent
  | MessageUpdateToolcallStartEvent
  | MessageUpdateToolcallInputDeltaEvent
  | MessageUpdateToolcallInputEvent
  | MessageUpdateToolcallResultEvent;
/**
 * What the host sends.
 */
export type Command =
  | PromptCommand
  | FollowUpCommand
  | CompactCommand
  | NewSessionCommand
  | GetMessagesCommand
  | SetModelCommand
  | GetAvailableModelsCommand
  | AbortCommand
  | GetSessionStatsCommand
  | GetStateCommand
  | ShutdownCommand;

/**
 * The child is up; the first frame of all
 */
export interface ReadyEvent {
  type: "ready";
  /**
   * The session's unique identifier
   */
  session_id: string;
  /**
   * The model now active
   */
  model: string;
  /**
   * The version of the protocol that the child speaks
   */
  protocol_version: number;
}
/**
 * A piece of the assistant's text
 */
export interface MessageUpdateTextDeltaEvent {
  type: "message_update";
  event: {
    /**
     * The kind
     */
    type: "text_delta";
    /**
     * The piece
     */
    delta: string;
  };
}
/**
 * A piece of the model's reasoning
 */
export interface MessageUpdateThinkingDeltaEvent {
  type: "message_update";
  event: {
    /**
     * The kind
     */
    type: "thinking_delta";
    /**
     * The piece
     */
    delta: string;
  };
}
/**
 * A tool call begins to stream
 */
export interface MessageUpdateToolcallStartEvent {
  type: "message_update";
  event: {
    /**
     * The kind
     */
    type: "toolcall_start";
    /**
     * The call's id, given by the model
     */
    tool_id: string;
    /**
     * The tool asked for
     */
    tool_name: string;
  };
}
/**
 * A fragment of the JSON input of a tool call
 */
export interface MessageUpdateToolcallInputDeltaEvent {
  type: "message_update";
  event: {
    /**
     * The kind
     */
    type: "toolcall_input_delta";
    /**
     * The call's id
     */
    tool_id: string;
    /**
     * The raw fragment, not JSON by itself
     */
    delta: string;
  };
}
/**
 * The whole input of a tool call
 */
export interface MessageUpdateToolcallInputEvent {
  type: "message_update";
  event: {
    /**
     * The kind
     */
    type: "toolcall_input";
    /**
     * The call's id
     */
    tool_id: string;
    /**
     * The parsed input, any JSON value
     */
    input: unknown;
  };
}
/**
 * What the tool gave back
 */
export interface MessageUpdateToolcallResultEvent {
  type: "message_update";
  event: {
    /**
     * The kind
     */
    type: "toolcall_result";
    /**
     * The call's id
     */
    tool_id: string;
    /**
     * The result as text
     */
    result: string;
  };
}
/**
 * A subagent was started for a delegated task
 */
export interface SubagentStartEvent {
  type: "subagent_start";
  /**
   * Which subagent: an opaque number that grows from start to start
   */
  subagent_id: number;
  /**
   * The agent's name, for people
   */
  agent_name: string;
  /**
   * The first words of the task
   */
  task_preview: string;
}
/**
 * A running subagent reports its status
 */
export interface SubagentUpdateEvent {
  type: "subagent_update";
  /**
   * Which subagent: an opaque number that grows from start to start
   */
  subagent_id: number;
  /**
   * The agent's name, for people
   */
  agent_name: string;
  /**
   * The state in free words
   */
  status: string;
}
/**
 * A subagent has finished
 */
export interface SubagentDoneEvent {
  type: "subagent_done";
  /**
   * Which subagent: an opaque number that grows from start to start
   */
  subagent_id: number;
  /**
   * The agent's name, for people
   */
  agent_name: string;
  /**
   * The first words of the result
   */
  result_preview: string;
  /**
   * Seconds it ran for by the wall clock
   */
  duration_secs: number;
}
/**
 * The turn is complete
 */
export interface AgentEndEvent {
  type: "agent_end";
  usage: TurnUsage;
}
/**
 * The token usage of one completed turn
 */
export interface TurnUsage {
  /**
   * Prompt tokens sent to the model
   */
  input_tokens: number;
  /**
   * Completion tokens that the model returned
   */
  output_tokens: number;
  /**
   * Tokens served from the prompt cache; absent means 0
   */
  cache_read_input_tokens?: number;
  /**
   * Tokens written into the prompt cache; absent means 0
   */
  cache_creation_input_tokens?: number;
  /**
   * The model of the turn; left out when not known
   */
  model?: string;
}
/**
 * The answer to one command; the keys of its body are next to these
 */
export interface ResponseEvent {
  /**
   * Whether the command has succeeded
   */
  ok?: boolean;
  /**
   * Why it has not
   */
  error?: string;
  /**
   * The conversation, of get_messages
   */
  messages?: {
    [k: string]: unknown;
  }[];
  /**
   * What can be chosen, of get_available_models
   */
  models?: {
    [k: string]: unknown;
  }[];
  /**
   * Whether a turn is running, of get_state
   */
  streaming?: boolean;
  /**
   * The session, of get_state, get_session_stats and new_session
   */
  session_id?: string;
  /**
   * The model, of get_state, get_session_stats and set_model
   */
  model?: string;
  /**
   * The length of the conversation, of get_state and get_session_stats
   */
  message_count?: number;
  /**
   * The sum of the session, of get_session_stats, as the members that follow
   */
  input_tokens?: number;
  output_tokens?: number;
  cache_read_input_tokens?: number;
  cache_creation_input_tokens?: number;
  cost?: number;
  type: "response";
  /**
   * The id of the command
   */
  id: string;
  /**
   * The name of the command
   */
  command: string;
  [k: string]: unknown;
}
/**
 * An error of the protocol or of the run
 */
export interface ErrorEvent {
  type: "error";
  /**
   * The id of the command that caused it; left out, or null, when none did
   */
  id?: string | null;
  /**
   * What went wrong, for people
   */
  message: string;
}
/**
 * Submit a user's message
 */
export interface PromptCommand {
  type: "prompt";
  /**
   * The correlation id, echoed in the response
   */
  id: string;
  /**
   * The user's text
   */
  message: string;
  /**
   * Files that go with it; absent means none
   */
  attachments?: RpcAttachment[];
}
/**
 * A file that goes with a prompt
 */
export interface RpcAttachment {
  /**
   * Where the file is: an absolute path without .. segments
   */
  path: string;
  /**
   * The file's name for people; absent means the last segment of path
   */
  name?: string | null;
  /**
   * The file's MIME type; absent means that the child finds out
   */
  mime?: string | null;
}
/**
 * Go on with the current conversation
 */
export interface FollowUpCommand {
  type: "follow_up";
  /**
   * The correlation id, echoed in the response
   */
  id: string;
  /**
   * The user's text
   */
  message: string;
}
/**
 * Compact the conversation's history
 */
export interface CompactCommand {
  type: "compact";
  /**
   * The correlation id, echoed in the response
   */
  id: string;
}
/**
 * Start afresh, without history
 */
export interface NewSessionCommand {
  type: "new_session";
  /**
   * The correlation id, echoed in the response
   */
  id: string;
}
/**
 * Ask for the conversation's messages
 */
export interface GetMessagesCommand {
  type: "get_messages";
  /**
   * The correlation id, echoed in the response
   */
  id: string;
}
/**
 * Switch the model for the turns that follow
 */
export interface SetModelCommand {
  type: "set_model";
  /**
   * The correlation id, echoed in the response
   */
  id: string;
  /**
   * The model's identifier
   */
  model: string;
}
/**
 * Ask which models are available
 */
export interface GetAvailableModelsCommand {
  type: "get_available_models";
  /**
   * The correlation id, echoed in the response
   */
  id: string;
}
/**
 * Abort the running turn
 */
export interface AbortCommand {
  type: "abort";
  /**
   * The correlation id, echoed in the response
   */
  id: string;
}
/**
 * Ask for the session's token usage
 */
export interface GetSessionStatsCommand {
  type: "get_session_stats";
  /**
   * The correlation id, echoed in the response
   */
  id: string;
}
/**
 * Ask for the child's present state
 */
export interface GetStateCommand {
  type: "get_state";
  /**
   * The correlation id, echoed in the response
   */
  id: string;
}
/**
 * Exit cleanly; never answered
 */
export interface ShutdownCommand {
  type: "shutdown";
}
