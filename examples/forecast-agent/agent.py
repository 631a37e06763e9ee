"""Will it be warm enough? An agent on google-genai with automatic function calling, and three ways to validate a call.

    python agent.py none|coerce|strict

What the model proposes reaches `get_forecast` as it is, coerced by pydantic, or only if it fits exactly.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Annotated, Any, Literal

from google import genai
from google.genai import types
from pydantic import BaseModel, ConfigDict, Field

MODEL = "gemini-3-pro-preview"
PROMPT = "Will Pune be warmer than 25 degrees over the next 3 days?"
HIGHS = (24, 26, 25, 23, 27, 28, 24)

# The schemas are spelled out, because google-genai compares a value with its annotation before the function runs, and
# this program is about what comes after that.
City = Annotated[object, Field(json_schema_extra={"type": "string"})]
Days = Annotated[object, Field(json_schema_extra={"type": "integer", "minimum": 1, "maximum": 7})]
Unit = Annotated[object, Field(json_schema_extra={"type": "string", "enum": ["celsius", "fahrenheit"]})]


class Arguments(BaseModel):
    """What get_forecast takes."""

    model_config = ConfigDict(extra="forbid")

    city: str
    days: int = Field(ge=1, le=7)
    unit: Literal["celsius", "fahrenheit"] = "celsius"


def validated(arguments: dict[str, Any], validation: str) -> dict[str, Any]:
    """The arguments as they may reach the function; raises ValueError, which becomes an error result."""
    if validation == "none":
        return arguments
    return Arguments.model_validate(arguments, strict=validation == "strict").model_dump()


def tool(validation: str) -> Callable[..., Any]:
    """Put validation in front of a function; its signature, from which the declaration is made, stays."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def dispatched(**arguments: Any) -> Any:
            return function(**{"city": "undefined", "unit": "celsius"} | validated(arguments, validation))

        return dispatched

    return decorate


def forecast_tool(validation: str) -> Callable[..., Any]:
    """The function that the model may call."""

    @tool(validation)
    def get_forecast(city: City, days: Days, unit: Unit) -> dict[str, Any]:
        """Highest temperatures of the coming days in a city, from the national weather service."""
        highs = list(HIGHS[: int(days)])
        if unit == "fahrenheit":
            highs = [round(high * 9 / 5 + 32) for high in highs]
        return {"city": city, "unit": unit, "temperatures": highs, "days": days}

    return get_forecast


def main() -> None:
    """Ask once and print the answer."""
    validation = sys.argv[1] if len(sys.argv) > 1 else "none"
    config = types.GenerateContentConfig(tools=[forecast_tool(validation)])
    client = genai.Client()
    print(client.chats.create(model=MODEL, config=config).send_message(PROMPT).text)


if __name__ == "__main__":
    main()
