# Works out an expression of numbers, parentheses, and + - * /.
class Arithmetic
  class Invalid < StandardError; end

  LONGEST = 200
  TOKEN = %r{\s*(?:(\d+(?:\.\d+)?)|([-+*/()]))}

  def initialize(expression)
    raise Invalid unless expression.is_a?(String) && expression.length <= LONGEST

    @tokens = tokens_of(expression.strip)
  end

  def result
    value = sum
    raise Invalid unless @tokens.empty?

    value.denominator == 1 ? value.to_i : value.to_f
  rescue ZeroDivisionError
    raise Invalid
  end

  private

  def tokens_of(text)
    scanner = StringScanner.new(text)
    tokens = []
    until scanner.eos?
      raise Invalid unless scanner.scan(TOKEN)

      tokens << (scanner[1]&.to_r || scanner[2])
    end
    tokens
  end

  def sum
    value = product
    value = value.public_send(@tokens.shift, product) while ["+", "-"].include?(@tokens.first)
    value
  end

  def product
    value = factor
    value = value.public_send(@tokens.shift, factor) while ["*", "/"].include?(@tokens.first)
    value
  end

  def factor
    token = @tokens.shift
    case token
    when Rational then token
    when "-" then -factor
    when "+" then factor
    when "(" then parenthesized
    else raise Invalid
    end
  end

  def parenthesized
    value = sum
    raise Invalid unless @tokens.shift == ")"

    value
  end
end
