// The types of a script. Generated from its schema by clients/generate.

/**
 * A text, or one that is repeated, with `{n}` in it for the number of the repetition.
 */
export type Text =
  | string
  | {
      repeat: string;
      times: number;
    };
/**
 * A length of time with its unit: `20ms`, `1.5s`, `2m`.
 */
export type Duration = string;
/**
 * A block of thinking: its text, or its text and signature.
 */
export type Thinking =
  | Texts
  | {
      /**
       * One text, a list of texts as chunks, or a chunk that comes several times.
       */
      text:
        | Text
        | Text[]
        | {
            /**
             * The text of each chunk.
             */
            chunk: string;
            /**
             * How often it is repeated.
             */
            times: number;
          };
      /**
       * Its signature; generated from the text if left out.
       */
      signature?: string | null;
    };
/**
 * One text, a list of texts as chunks, or a chunk that comes several times.
 */
export type Texts =
  | Text
  | Text[]
  | {
      /**
       * The text of each chunk.
       */
      chunk: string;
      /**
       * How often it is repeated.
       */
      times: number;
    };
/**
 * One item of an answer's ordered `content`.
 */
export type ContentItem =
  | {
      thinking: Thinking;
    }
  | {
      redacted_thinking: string;
    }
  | {
      text: Texts;
    }
  | {
      tool_call: ToolCall;
    }
  | {
      gate: string;
    }
  | {
      delay: Duration;
    }
  | {
      stall: Stall;
    }
  | {
      error: StreamError;
    }
  | {
      cut: Cut;
    }
  | {
      ping: True;
    }
  | {
      raw: string;
    };
/**
 * A stall: the answer stops, and the connection stays open. `true`: silent until the client disconnects.
 */
export type Stall =
  | True
  | {
      /**
       * How long; until the client disconnects if left out.
       */
      for?: Duration | null;
      /**
       * The time between two pings during the stall; no pings if left out.
       */
      pings?: Duration | null;
    };
/**
 * The value `true`: for a key that is either set or left out.
 */
export type True = true;
/**
 * How a connection is cut.
 */
export type Cut = "close" | "reset" | "end";
/**
 * Why the model stopped.
 */
export type Stop = "end_turn" | "tool_use" | "max_tokens" | "stop_sequence" | "refusal" | "pause_turn" | "model_context_window_exceeded";
/**
 * A text that may be written as a bare number.
 */
export type TextOrNumber = string | number;
/**
 * The replies of the scripted model, in order. Each is served once, unless it has `repeat`.
 */
export type ModelScript = ScriptReply[];

/**
 * One reply of the scripted model.
 */
export interface ScriptReply {
  /**
   * Serves the reply only to requests that match. Such a reply takes precedence over replies without `when`.
   */
  when?: Expect | null;
  /**
   * How often it is served: a number, or `forever`; once if left out.
   */
  repeat?: "forever" | number;
  /**
   * An expectation of the request that gets this reply. A request that does not match is a failure, and gets the reply all the same.
   */
  expect_request?: Expect | null;
  /**
   * Waits before the first byte until the gate of this name is released.
   */
  gate?: string | null;
  /**
   * Waits before the first byte for this long.
   */
  delay?: Duration | null;
  /**
   * Thinking, before the text.
   */
  thinking?: Thinking | null;
  /**
   * Text: one chunk, or a list of chunks as streamed.
   */
  text?: Texts | null;
  /**
   * Tool calls, after the text.
   */
  tool_calls?: ToolCall[];
  /**
   * The ordered content, instead of `thinking`, `text` and `tool_calls`.
   */
  content?: ContentItem[] | null;
  /**
   * Interleaves the fragments of several tool calls, if the wire allows it (OpenAI Chat).
   */
  interleave?: boolean;
  /**
   * The token usage.
   */
  usage?: ScriptedUsage | null;
  /**
   * Why the model stopped; `tool_use` after tool calls, else `end_turn`, if left out.
   */
  stop?: Stop | null;
  /**
   * More about a refusal (Anthropic).
   */
  stop_details?: RefusalDetails | null;
  /**
   * An HTTP error instead of an answer.
   */
  error?: HttpFault | null;
  /**
   * Cuts the connection before the first byte, instead of an answer.
   */
  cut?: Cut | null;
  delivery?: Delivery;
}
/**
 * An expectation of a request. All its parts must hold.
 */
export interface Expect {
  /**
   * Texts that the conversation or the system prompt contains, each within one string.
   */
  contains?:
    | Text
    | Text[]
    | {
        /**
         * The text of each chunk.
         */
        chunk: string;
        /**
         * How often it is repeated.
         */
        times: number;
      };
  /**
   * Texts that neither the conversation nor the system prompt contains.
   */
  not_contains?:
    | Text
    | Text[]
    | {
        /**
         * The text of each chunk.
         */
        chunk: string;
        /**
         * How often it is repeated.
         */
        times: number;
      };
  /**
   * Texts that the new messages contain: those after the model's last message.
   */
  last_contains?:
    | Text
    | Text[]
    | {
        /**
         * The text of each chunk.
         */
        chunk: string;
        /**
         * How often it is repeated.
         */
        times: number;
      };
  /**
   * Tool results that the conversation contains.
   */
  tool_result?: ExpectedToolResult | ExpectedToolResult[];
  /**
   * A matcher on the raw body: equal scalars, subset objects, lists element by element, and `$` operators.
   */
  body?: unknown;
}
/**
 * An expected tool result.
 */
export interface ExpectedToolResult {
  /**
   * The id of its tool call; any if left out.
   */
  call?: string | null;
  /**
   * Whether it is marked as an error. Ignored on wires without such a mark (OpenAI).
   */
  is_error?: boolean | null;
  /**
   * Texts that its content contains.
   */
  contains?:
    | Text
    | Text[]
    | {
        /**
         * The text of each chunk.
         */
        chunk: string;
        /**
         * How often it is repeated.
         */
        times: number;
      };
  /**
   * Texts that its content does not contain.
   */
  not_contains?:
    | Text
    | Text[]
    | {
        /**
         * The text of each chunk.
         */
        chunk: string;
        /**
         * How often it is repeated.
         */
        times: number;
      };
}
/**
 * A tool call.
 */
export interface ToolCall {
  /**
   * The id of the call; generated from the seed and the position in the script if left out.
   */
  id?: string | null;
  /**
   * The tool's name.
   */
  name?: string;
  /**
   * In a scenario, in place of the name: the purpose of the tool. The agent file of the agent that plays it names the tool.
   */
  use?: string | null;
  /**
   * In place of the name: the first tool that the request offers and whose name has this text, or all of these texts. A scenario is
   * skipped if there is none.
   */
  offered?: Texts | null;
  /**
   * The arguments; `{}` if left out.
   */
  args?: unknown;
  /**
   * The arguments as raw text, which need not be JSON; a list has the fragments as streamed.
   */
  args_raw?: Texts | null;
  /**
   * The number of fragments in which the arguments are streamed; 2 if left out.
   */
  chunks?: number | null;
}
/**
 * An error in a stream.
 */
export interface StreamError {
  /**
   * The error's type, such as `overloaded_error`.
   */
  type: string;
  /**
   * The error's message.
   */
  message: string;
}
/**
 * The token usage that the model reports.
 */
export interface ScriptedUsage {
  /**
   * Input tokens that came from no cache; 10 if left out.
   */
  input?: number | null;
  /**
   * Output tokens; a fourth of the characters of the answer if left out.
   */
  output?: number | null;
  /**
   * Input tokens read from the cache; 0 if left out.
   */
  cache_read?: number | null;
  /**
   * Input tokens written to the cache; 0 if left out.
   */
  cache_write?: number | null;
  /**
   * Output tokens spent on reasoning, if the wire counts them separately; 0 if left out.
   */
  reasoning?: number | null;
}
/**
 * More about a refusal, as `stop_details` of Anthropic:
 * <https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons>.
 */
export interface RefusalDetails {
  /**
   * The category of the policy, such as `cyber` or `bio`; none if left out.
   */
  category?: string | null;
  /**
   * The explanation for a reader; none if left out.
   */
  explanation?: string | null;
}
/**
 * An HTTP error instead of an answer.
 */
export interface HttpFault {
  /**
   * The HTTP status, 300 to 599.
   */
  status: number;
  /**
   * The error's type in the body; the usual type of the status if left out.
   */
  type?: string | null;
  /**
   * The error's message; the usual message of the status if left out.
   */
  message?: string | null;
  /**
   * The error's code, if the wire has one (OpenAI), such as `insufficient_quota`.
   */
  code?: string | null;
  /**
   * Headers that replace or extend the usual ones.
   */
  headers?: {
    [k: string]: TextOrNumber;
  };
  /**
   * The body as it is, instead of the wire's error document.
   */
  body?: string | null;
}
/**
 * How the bytes are divided into writes.
 */
export interface Delivery {
  /**
   * The number of bytes in each write, across the bounds of events.
   */
  every?: number | null;
  /**
   * One write up to each of these offsets into the stream, ascending, and one for the rest.
   */
  at?: number[] | null;
  /**
   * Everything between two waits is one write.
   */
  whole?: boolean;
  /**
   * A pause after each write.
   */
  pause?: Duration | null;
  /**
   * Lines end in CR LF instead of LF.
   */
  crlf?: boolean;
}
